#include <purview/base/errors.hpp>
#include <purview/dtype/dtype.hpp>

#include <fmt/format.h>

#include <array>
#include <ostream>

namespace purview {

#define PURVIEW_DESCRIBED(T)                                                   \
 template <>                                                                   \
 const TypeDescriptor DescribedType<T>::value{kTypeId<T>,                      \
                                              sizeof(T),                       \
                                              alignof(T),                      \
                                              true,                            \
                                              kElementName<T>,                 \
                                              type_info_of<T>(),               \
                                              &ElementFunctions<T>::construct, \
                                              &ElementFunctions<T>::destroy,   \
                                              &ElementFunctions<T>::copy,      \
                                              &ElementFunctions<T>::print,     \
                                              &ElementFunctions<T>::same};
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_DESCRIBED)
#undef PURVIEW_DESCRIBED

DType dtype_from_name(std::string_view name) {
    static constexpr std::array kAll{boolean, int8,   int16,  int32,   int64,  uint8,
                                     uint16,  uint32, uint64, float32, float64};
    for (const DType dtype : kAll)
        if (dtype.name() == name) return dtype;
    throw DtypeError(
        fmt::format("dtype_from_name: '{}' is not the name of a built-in element type", name));
}

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << dtype.name(); }

void print_number(std::ostream& out, long double number) { out << number; }
void print_number(std::ostream& out, std::int64_t number) { out << number; }
void print_number(std::ostream& out, std::uint64_t number) { out << number; }

void throw_dtype_mismatch(const char* what, DType expected, DType actual) {
    throw DtypeError(
        fmt::format("{}: the element type is {}, not {}", what, actual.name(), expected.name()));
}

void throw_dtype_unsupported(const char* what, DType dtype) {
    throw DtypeError(fmt::format("{}: not defined for elements of type {}", what, dtype.name()));
}

} // namespace purview
