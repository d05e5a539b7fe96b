// Defines purview/tensor/tensor_handle.hpp.

#include <purview/dimensions/select.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/backend.hpp>
#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/copy.hpp>

#include "dtype/element_block.hpp"
#include "tensor/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// The format of floats: that of the stream, if its flags or a precision other than the default say
/// one; else three decimals, or another format if that would hide small numbers or be too long for
/// large ones.
class FloatFormat {
public:
    template <typename T>
    FloatFormat(const std::ios_base& stream, std::span<const T> values)
        : precision_(static_cast<int>(stream.precision())) {
        const auto notation = stream.flags() & std::ios_base::floatfield;
        if (notation != std::ios_base::fmtflags{} || precision_ != kUsualPrecision) {
            letter_ = notation == std::ios_base::fixed        ? 'f'
                      : notation == std::ios_base::scientific ? 'e'
                      : notation == std::ios_base::fmtflags{} ? 'g'
                                                              : 'a';
            return;
        }
        precision_ = 3;
        double largest = 0;
        double smallest = std::numeric_limits<double>::infinity();
        for (const T value : values) {
            const double magnitude = std::fabs(static_cast<double>(value));
            if (!std::isfinite(magnitude) || magnitude == 0) continue;
            largest = std::max(largest, magnitude);
            smallest = std::min(smallest, magnitude);
        }
        letter_ = largest >= 1e8 || smallest < 1e-3 ? 'e' : 'f';
    }
    std::string operator()(double value) const {
        if (std::isnan(value)) return "nan"; // without a sign
        switch (letter_) {
        case 'f': return fmt::format("{:.{}f}", value, precision_);
        case 'e': return fmt::format("{:.{}e}", value, precision_);
        case 'g': return fmt::format("{:.{}g}", value, precision_);
        default: return fmt::format("{:a}", value);
        }
    }

private:
    static constexpr int kUsualPrecision = 6; // the default precision of streams

    int precision_;
    char letter_ = 'f';
};

template <typename T>
std::vector<std::string> number_texts(const std::ios_base& stream, std::span<const T> values) {
    std::vector<std::string> texts;
    if constexpr (std::floating_point<T>) {
        const FloatFormat format(stream, values);
        for (const T value : values) texts.push_back(format(static_cast<double>(value)));
    } else {
        for (const T value : values) texts.push_back(fmt::format("{}", value));
    }
    return texts;
}

/// In quotes, with what would end the text or the line escaped as C++ does.
std::string in_quotes(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        switch (c) {
        case '"': quoted += "\\\""; break;
        case '\\': quoted += "\\\\"; break;
        case '\n': quoted += "\\n"; break;
        case '\r': quoted += "\\r"; break;
        case '\t': quoted += "\\t"; break;
        default:
            if (static_cast<unsigned char>(c) < ' ')
                quoted += fmt::format("\\x{:02x}", c);
            else
                quoted += c;
        }
    }
    return quoted + '"';
}

std::vector<std::string> object_texts(const std::ios_base& stream, DType dtype, ElementBlock& block,
                                      index_t count) {
    std::vector<std::string> texts;
    const auto print = dtype.descriptor().print;
    for (index_t i = 0; i < count; ++i) {
        std::ostringstream text;
        text.precision(stream.precision());
        text.setf(stream.flags() & std::ios_base::floatfield, std::ios_base::floatfield);
        text.exceptions(std::ios::badbit); // so that running out of memory throws, and is not
                                           // ignored
        if (print != nullptr)
            print(text, block.at(i));
        else
            text << '<' << dtype.name() << '>';
        texts.push_back(dtype == kDType<std::string> ? in_quotes(text.str()) : text.str());
    }
    return texts;
}

} // namespace

std::string place_in_words(const Operand& x) {
    if (!x.node->reads(Below::device)) return {};
    return fmt::format(" on {}", backend_of({&x, 1}).name());
}

Operand without_middle(const Operand& tensor, bool large) {
    Operand shown = tensor;
    for (index_t axis = 0; axis < tensor.dims.rank(); ++axis) {
        const index_t extent = tensor.dims.max_shape()[static_cast<std::size_t>(axis)];
        if (!is_elided(extent, large)) continue;
        shown.dims = dimensions::select(
            shown.dims, axis, make_index_sequence({0, 1, 2, extent - 3, extent - 2, extent - 1}));
    }
    return shown;
}

std::vector<std::string> element_texts(const std::ios_base& stream, const Operand& shown) {
    const index_t count = shown.dims.size();
    if (count == 0) return {};
    if (shown.node->reads(Below::device)) return element_texts(stream, copied_to_memory(shown));
    ElementBlock block(shown.dtype(), count);
    shown.node->read(shown.dims, 0, count, block.data());
    if (!shown.dtype().is_builtin()) return object_texts(stream, shown.dtype(), block, count);
    return visit_dtype(shown.dtype(), "print", [&]<typename T>(std::type_identity<T>) {
        return number_texts(stream, std::span(static_cast<const T*>(block.data()),
                                              static_cast<std::size_t>(count)));
    });
}

namespace {

/// Writes nested brackets, with the entries of a column aligned to one width.
class Printer {
public:
    Printer(std::ostream& out, const TensorHandle& tensor)
        : Printer(out, tensor, without_middle(tensor.operand(), tensor.size() > kLargestPrinted)) {}

    void print() { print_axis(0); }

private:
    Printer(std::ostream& out, const TensorHandle& tensor, const Operand& shown)
        : out_(out),
          large_(tensor.size() > kLargestPrinted),
          shape_(tensor.shape()),
          shown_(to_shape(shown.dims.max_shape())),
          texts_(element_texts(out, shown)) {
        widths_.resize(shown_.empty() ? 1 : static_cast<std::size_t>(shown_.back()), 0);
        for (std::size_t i = 0; i < texts_.size(); ++i)
            widths_[i % widths_.size()] = std::max(widths_[i % widths_.size()], texts_[i].size());
    }

    void print_axis(std::size_t axis) {
        if (axis == shown_.size()) {
            print_element();
            return;
        }
        const bool last = axis + 1 == shown_.size();
        out_ << '[';
        for (index_t i = 0; i < shown_[axis]; ++i) {
            if (i > 0) separate(axis, last);
            if (i == kPrintedEdge && is_elided(shape_[axis], large_)) {
                out_ << "...";
                separate(axis, last);
            }
            print_axis(axis + 1);
        }
        out_ << ']';
    }

    void separate(std::size_t axis, bool last) {
        if (last)
            out_ << ' ';
        else
            out_ << std::string(shown_.size() - axis - 1, '\n') << std::string(axis + 1, ' ');
    }

    void print_element() {
        const std::string& text = texts_[next_];
        // A single element needs no column to align with.
        const std::size_t width = shown_.empty() ? 0 : widths_[next_ % widths_.size()];
        out_ << std::string(width > text.size() ? width - text.size() : 0, ' ') << text;
        ++next_;
    }

    std::ostream& out_;
    bool large_;
    Shape shape_;
    Shape shown_;
    std::vector<std::string> texts_;
    std::vector<std::size_t> widths_;
    std::size_t next_ = 0;
};

} // namespace

std::ostream& operator<<(std::ostream& out, const TensorHandle& tensor) {
    out << "#purview.tensor<" << tensor.dtype().name() << '>' << to_string(tensor.shape())
        << place_in_words(tensor.operand()) << '\n';
    Printer(out, tensor).print();
    return out;
}

std::string to_string(const TensorHandle& tensor) {
    std::ostringstream out;
    out << tensor;
    return std::move(out).str();
}

} // namespace purview
