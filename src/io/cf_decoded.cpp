#include <purview/dtype/half.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/io/cf_decoded.hpp>

#include <limits>
#include <optional>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// Attributes are doubles; of float32 they are rounded to it, as the elements were.
template <typename T>
AnyTensor decoded_as(const AnyTensor& values, const std::vector<double>& missing,
                     std::optional<double> scale, std::optional<double> offset) {
    const Tensor<T> x = AnyTensor(cast<T>(values)).template as<T>();
    Tensor<T> result = x;
    if (scale) result = result * static_cast<T>(*scale);
    if (offset) result = result + static_cast<T>(*offset);
    for (const double value : missing) // what is NaN is so already
        if (value == value)
            result = where(x == static_cast<T>(value), std::numeric_limits<T>::quiet_NaN(), result);
    return result;
}

} // namespace

AnyTensor cf_decoded(const StoredArray& array) {
    const Attributes& attributes = array.attributes;
    std::vector<double> missing = attributes.numbers("_FillValue");
    const std::vector<double> more = attributes.numbers("missing_value");
    missing.insert(missing.end(), more.begin(), more.end());
    const std::optional<double> scale = attributes.number("scale_factor");
    const std::optional<double> offset = attributes.number("add_offset");
    const DType dtype = array.values.dtype();
    const bool is_float = dtype.is_floating() || dtype == float16 || dtype == bfloat16;
    if ((!is_float && !dtype.is_integer()) || (missing.empty() && !scale && !offset))
        return array.values;
    return is_float && dtype != float64 ? decoded_as<float>(array.values, missing, scale, offset)
                                        : decoded_as<double>(array.values, missing, scale, offset);
}

} // namespace purview
