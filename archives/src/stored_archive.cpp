// Defines found_array.hpp.
#include "found_array.hpp"
#include "open_files.hpp"

#include "dtype/stored_types.hpp"
#include "text/json_attributes.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dtype/time_element.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/functional/assembly/chunked.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/io/cf_decoded.hpp>
#include <purview/reader/chunked_reader.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace purview::inline v0_1::archives {
namespace {

/// The chunks of one file, which is opened when one of them is read.
template <ElementType T>
class FileChunks final : public ChunkedReader<T> {
public:
    explicit FileChunks(FoundArray found)
        : ChunkedReader<T>({found.shape, found.chunk}), array_(std::move(found)) {}

    bool read_chunk(ShapeSpan at, std::span<T> out) const override {
        const std::shared_ptr<const AnyTensor> array = array_.opened();
        const Operand& x = array->operand();
        const auto* const leaf = node_as<Leaf>(*x.node);
        const Chunks* const chunks = leaf == nullptr ? nullptr : leaf->reader().chunks();
        // Chunks are not kept twice, here and for the file.
        if (chunks == nullptr || chunks->grid().chunk != this->grid().chunk) {
            OperandBoxes(x).read(this->grid(), at, out.data());
        } else if (!chunks->read_chunk_into(at, out.data())) {
            T fill{};
            chunks->fill_into(&fill);
            std::fill(out.begin(), out.end(), fill);
        }
        return true;
    }

private:
    LazyArray array_;
};

template <typename Work>
auto visit_stored(DType dtype, Work work) {
    return dtype == kDType<std::string> ? work(std::type_identity<std::string>{})
                                        : visit_stored_dtype(dtype, "open_many", work);
}

Operand file_operand(const FoundArray& found) {
    return visit_stored(found.dtype, [&]<typename T>(std::type_identity<T>) -> Operand {
        return {make_node<Leaf>(std::make_shared<FileChunks<T>>(found)),
                Dimensions::row_major(found.shape)};
    });
}

/// What says which numbers the elements stand for.
constexpr const char* kScaling[] = {"_FillValue", "missing_value", "scale_factor", "add_offset",
                                    "_Unsigned",  "units",         "calendar"};

/// NaN is the same as NaN.
bool is_same_number(const Attributes::Number& a, const Attributes::Number& b) {
    constexpr double kWhole = 0x1p53; // below it each integer is a double
    return std::visit(
        [](auto x, auto y) {
            if constexpr (std::is_integral_v<decltype(x)> && std::is_integral_v<decltype(y)>) {
                return std::cmp_equal(x, y);
            } else {
                const auto first = static_cast<double>(x);
                const auto other = static_cast<double>(y);
                if (std::is_same_v<decltype(x), decltype(y)>)
                    return first == other || (first != first && other != other);
                return first == other && first > -kWhole && first < kWhole;
            }
        },
        a, b);
}

bool is_same(const StoredArray& a, const StoredArray& b, const char* name) {
    return a.attributes.text(name) == b.attributes.text(name) &&
           std::ranges::equal(a.attributes.exact_numbers(name), b.attributes.exact_numbers(name),
                              is_same_number);
}

/// Whether elements of both files stand for the same numbers. Throws where units differ that are no times'.
bool have_one_scaling(const FoundArray& a, const FoundArray& b) {
    if (a.about == b.about) return true;
    const auto& missing = a.about->missing;
    const auto& other_missing = b.about->missing;
    if (missing.has_value() == other_missing.has_value() &&
        (!missing || is_same_number(*missing, *other_missing)) &&
        std::ranges::all_of(kScaling, [&](auto name) { return is_same(*a.about, *b.about, name); }))
        return true;
    const auto units = [](const FoundArray& x) {
        return x.about->attributes.text("units").value_or("");
    };
    const std::string first = units(a);
    const std::string other = units(b);
    if (first != other &&
        (first.find(" since ") == std::string::npos || other.find(" since ") == std::string::npos))
        throw FormatError(fmt::format("open_many: {} has the units '{}', and {} has '{}'",
                                      name_of(a.file), first, name_of(b.file), other));
    return false;
}

/// Without what was decoded: of times, their units, too.
Attributes without_scaling(const Attributes& attributes, bool are_times) {
    const std::string& text = attributes.json();
    Json::Value json = zarr::parse_json(std::as_bytes(std::span(text)), "open_many");
    const std::span<const char* const> names(kScaling);
    for (const char* const name : are_times ? names : names.first(names.size() - 2))
        json.removeMember(name);
    return zarr::attributes_of(json);
}

std::string absence_of(const Archive& archive, std::size_t place) {
    const std::string name = name_of(archive.arrays[place].file);
    return name == "''" ? fmt::format("no file lies at {}", to_string(archive.begins[place]))
                        : fmt::format("{} is not there", name);
}

/// The fill value of elements as they are stored, where it is said.
std::optional<Operand> stored_fill(const FoundArray& found) {
    std::vector<Attributes::Number> numbers = found.about->attributes.exact_numbers("_FillValue");
    if (numbers.empty() && found.about->missing) numbers.push_back(*found.about->missing);
    if (numbers.empty()) return std::nullopt;
    const Operand number = std::visit([](auto n) { return number_operand(n); }, numbers[0]);
    Operand fill = convert_operand(number, found.dtype, Op::cast);
    clone(AnyTensor(fill)); // throws what reading would
    return fill;
}

/// What fills the places of files that are not there, one element of `dtype`: the fill value of elements that are as they
/// are stored, else NaN or NaT. `absent` says which file it is, for errors.
Operand fill_of(const FoundArray& first, DType dtype, bool is_decoded, const std::string& absent) {
    return visit_stored(dtype, [&]<typename T>(std::type_identity<T>) -> Operand {
        if constexpr (TimeElement<T>) {
            return constant_operand(nat_value<T>());
        } else if constexpr (!std::is_same_v<T, std::string>) {
            try {
                if (const auto fill = is_decoded ? std::nullopt : stored_fill(first))
                    return convert_operand(*fill, dtype, Op::cast);
            } catch (const CastError& error) {
                throw CastError(fmt::format("open_many: {}, and the fill value is none of {}: {}",
                                            absent, first.dtype.name(), error.what()));
            }
            if constexpr (!std::is_integral_v<T>)
                return constant_operand(static_cast<T>(std::numeric_limits<float>::quiet_NaN()));
        }
        throw FormatError(fmt::format("open_many: {}, and elements of {} have no fill value",
                                      absent, dtype.name()));
    });
}

} // namespace

StoredArray stored_archive(const Archive& archive) {
    const auto first = std::ranges::find(archive.arrays, true, &FoundArray::is_there);
    if (first == archive.arrays.end()) throw FormatError("open_many: none of the files is there");
    StoredArray result = *first->about;
    bool is_decoded = false;
    for (const FoundArray& found : archive.arrays)
        is_decoded = is_decoded || (found.is_there && !have_one_scaling(*first, found));

    std::vector<Operand> operands;
    operands.reserve(archive.arrays.size());
    WeakOperand common{};
    DType dtype = first->dtype;
    bool is_first = true;
    for (const FoundArray& found : archive.arrays) {
        if (!found.is_there) {
            operands.emplace_back(); // when the type of all is known
            continue;
        }
        Operand x = file_operand(found);
        if (is_decoded) {
            StoredArray own = *found.about;
            own.values = AnyTensor(std::move(x));
            x = naming(found.file, [&] { return cf_decoded(own); }).operand();
        }
        if (is_first || x.dtype() != dtype) {
            WeakOperand next{x};
            try {
                dtype = is_first ? x.dtype() : computed_dtype("open_many", common, next);
            } catch (const DtypeError& error) {
                throw DtypeError(fmt::format("{}: {} beside {}", error.what(), name_of(found.file),
                                             name_of(first->file)));
            }
            common.operand = is_first ? x : convert_operand(x, dtype, Op::cast);
            is_first = false;
        }
        operands.push_back(std::move(x));
    }
    std::optional<Operand> fill;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        Operand& x = operands[i];
        const FoundArray& found = archive.arrays[i];
        if (found.is_there) {
            x = convert_operand(x, dtype, Op::cast);
        } else {
            if (!fill) fill = fill_of(*first, dtype, is_decoded, absence_of(archive, i));
            x = {fill->node, dimensions::expand(fill->dims, found.shape)};
        }
        if (archive.new_axes > 0) {
            Shape shape(static_cast<std::size_t>(archive.new_axes), 1);
            for (const index_t extent : x.dims.max_shape()) shape.push_back(extent);
            x.dims = dimensions::reshape(x.dims, shape);
        }
    }
    if (is_decoded) {
        result.attributes = without_scaling(result.attributes, dtype.counted_in() != dtype);
        result.missing.reset();
    }
    result.values = AnyTensor(
        piecewise_operand("open_many", std::move(operands), archive.begins, archive.shape));
    result.dimension_names = archive.dimension_names;
    for (int i = 0; i < archive.new_axes; ++i) {
        result.chunk_shape.insert(result.chunk_shape.begin(), 1);
        result.shard_shape.insert(result.shard_shape.begin(), 1);
    }
    return result;
}

} // namespace purview::archives
