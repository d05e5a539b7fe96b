// Defines found_array.hpp.
#include "found_array.hpp"
#include "open_files.hpp"

#include "dtype/stored_types.hpp"
#include "text/json_attributes.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/functional/assembly/chunked.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/io/cf_decoded.hpp>
#include <purview/reader/chunked_reader.hpp>
#include <purview/tensor/create.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
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

bool is_same(const StoredArray& a, const StoredArray& b, const char* name) {
    return a.attributes.text(name) == b.attributes.text(name) &&
           a.attributes.exact_numbers(name) == b.attributes.exact_numbers(name);
}

/// Whether elements of both files stand for the same numbers. Throws where units differ that are no times'.
bool have_one_scaling(const FoundArray& a, const FoundArray& b) {
    if (a.about == b.about) return true;
    if (a.about->missing == b.about->missing &&
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

/// One element that fills the place of a file that is not there: of decoded numbers NaN.
AnyTensor fill_of(const StoredArray& about, DType dtype, bool is_decoded) {
    std::vector<Attributes::Number> numbers = about.attributes.exact_numbers("_FillValue");
    if (numbers.empty() && about.missing) numbers.push_back(*about.missing);
    if (numbers.empty() && !is_decoded && !dtype.is_floating() && dtype != float16)
        throw FormatError(fmt::format(
            "open_many: a file is not there, and elements of {} have no fill value", dtype.name()));
    const double number =
        numbers.empty() || is_decoded
            ? std::numeric_limits<double>::quiet_NaN()
            : std::visit([](auto n) { return static_cast<double>(n); }, numbers[0]);
    if (is_decoded) return AnyTensor(number_operand(number));
    return AnyTensor(convert_operand(
        numbers.empty() ? number_operand(number)
                        : std::visit([](auto n) { return number_operand(n); }, numbers[0]),
        dtype, Op::cast));
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
    std::optional<AnyTensor> fill;
    WeakOperand common{};
    DType dtype = first->dtype;
    bool is_first = true;
    for (const FoundArray& found : archive.arrays) {
        if (!found.is_there) {
            if (!fill) fill = fill_of(*first->about, first->dtype, is_decoded);
            operands.push_back(
                {fill->operand().node, dimensions::expand(fill->operand().dims, found.shape)});
            continue;
        }
        Operand x = file_operand(found);
        if (is_decoded) {
            StoredArray own = *found.about;
            own.values = AnyTensor(std::move(x));
            x = cf_decoded(own).operand();
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
    for (Operand& x : operands) {
        x = convert_operand(x, dtype, Op::cast);
        if (archive.new_axes > 0) {
            Shape shape(static_cast<std::size_t>(archive.new_axes), 1);
            for (const index_t extent : x.dims.max_shape()) shape.push_back(extent);
            x.dims = dimensions::reshape(x.dims, shape);
        }
    }
    if (is_decoded) {
        result.attributes =
            without_scaling(result.attributes, !dtype.is_floating() && dtype != first->dtype);
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
