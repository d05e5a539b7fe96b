#include <purview/interop/to_html.hpp>

#include "tensor/print.hpp"

#include <fmt/format.h>

#include <sstream>
#include <string_view>
#include <vector>

namespace purview::inline v0_1 {
namespace {

constexpr std::string_view kEllipsis = "…";

std::string escaped(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
        case '&': escaped += "&amp;"; break;
        case '<': escaped += "&lt;"; break;
        case '>': escaped += "&gt;"; break;
        case '"': escaped += "&quot;"; break;
        case '\'': escaped += "&#39;"; break;
        default: escaped += c;
        }
    }
    return escaped;
}

/// Writes tables in tables, of the last two axes in the innermost.
class HtmlWriter {
public:
    HtmlWriter(const Operand& tensor, bool large)
        : large_(large), shape_(to_shape(tensor.dims.max_shape())) {
        const Operand shown = without_middle(tensor, large);
        shown_ = to_shape(shown.dims.max_shape());
        texts_ = element_texts(std::ostringstream(), shown);
    }

    std::string write(std::string_view caption) {
        html_ = fmt::format("<table class=\"purview\"><caption>{}</caption>\n", escaped(caption));
        rows_of(0);
        html_ += "</table>\n";
        return std::move(html_);
    }

private:
    void rows_of(std::size_t axis) {
        const std::size_t axes = shown_.size() - axis;
        if (axes == 0) return row({}, axis);
        if (axes <= 2) column_heads(axes == 2);
        if (axes == 1) return row({}, axis);
        for_each_shown(
            axis,
            [&](index_t index) {
                if (axes == 2) return row(fmt::format("<th>{}</th>", index), axis + 1);
                html_ += fmt::format("<tr><th>{}</th><td><table class=\"purview\">\n", index);
                rows_of(axis + 1);
                html_ += "</table></td></tr>\n";
            },
            [&] {
                html_ += fmt::format("<tr><th>{}</th>", kEllipsis);
                if (axes == 2)
                    for_each_shown(
                        axis + 1, [&](index_t) { cell(kEllipsis); }, [&] { cell(kEllipsis); });
                else
                    cell(kEllipsis);
                html_ += "</tr>\n";
            });
    }

    /// The indexes along the last axis; beside them a column with those of the rows.
    void column_heads(bool beside_rows) {
        html_ += beside_rows ? "<tr><th></th>" : "<tr>";
        for_each_shown(
            shown_.size() - 1, [&](index_t index) { html_ += fmt::format("<th>{}</th>", index); },
            [&] { html_ += fmt::format("<th>{}</th>", kEllipsis); });
        html_ += "</tr>\n";
    }

    /// The elements along the last axis; one, where there is no such axis.
    void row(std::string_view head, std::size_t axis) {
        html_ += "<tr>";
        html_ += head;
        if (axis == shown_.size())
            cell(escaped(texts_[next_++]));
        else
            for_each_shown(
                axis, [&](index_t) { cell(escaped(texts_[next_++])); }, [&] { cell(kEllipsis); });
        html_ += "</tr>\n";
    }

    /// Calls `entry(index)` for what is shown of an axis, and `middle()` for what is left out.
    template <typename Entry, typename Middle>
    void for_each_shown(std::size_t axis, Entry entry, Middle middle) {
        const bool elided = is_elided(shape_[axis], large_);
        for (index_t i = 0; i < shown_[axis]; ++i) {
            if (elided && i == kPrintedEdge) middle();
            entry(elided && i >= kPrintedEdge ? i + shape_[axis] - shown_[axis] : i);
        }
    }

    void cell(std::string_view content) { html_ += fmt::format("<td>{}</td>", content); }

    bool large_;
    Shape shape_;
    Shape shown_;
    std::vector<std::string> texts_;
    std::string html_;
    std::size_t next_ = 0;
};

} // namespace

std::string to_html(const AnyTensor& tensor) {
    return HtmlWriter(tensor.operand(), tensor.size() > kLargestPrinted)
        .write(fmt::format("{} {}{}", tensor.dtype().name(), to_string(tensor.shape()),
                           place_in_words(tensor.operand())));
}

} // namespace purview
