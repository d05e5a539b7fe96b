#include <purview/base/errors.hpp>
#include <purview/dtype/dtype.hpp>

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <ostream>
#include <typeinfo>

namespace purview::inline v0_1 {

template <typename T>
void BuiltinFunctions<T>::construct(void* first, index_t count) {
    ElementFunctions<T>::construct(first, count);
}
template <typename T>
void BuiltinFunctions<T>::destroy(void* first, index_t count) noexcept {
    ElementFunctions<T>::destroy(first, count);
}
template <typename T>
void BuiltinFunctions<T>::copy(const void* from, void* to, index_t count) {
    ElementFunctions<T>::copy(from, to, count);
}
template <typename T>
void BuiltinFunctions<T>::print(std::ostream& out, const void* element) {
    ElementFunctions<T>::print(out, element);
}
template <typename T>
bool BuiltinFunctions<T>::same(const void* a, const void* b) {
    return ElementFunctions<T>::same(a, b);
}
#define PURVIEW_BUILTIN_FUNCTIONS(T) template struct BuiltinFunctions<T>;
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_BUILTIN_FUNCTIONS)
#undef PURVIEW_BUILTIN_FUNCTIONS

bool describe_one_type(const TypeDescriptor& a, const TypeDescriptor& b) noexcept {
    if (a.size != b.size || a.alignment != b.alignment) return false;
    if (a.type == nullptr || b.type == nullptr) {
        // Of these a name says all but the type of the count.
        const bool tells = a.name == "string" || a.name.starts_with("complex") ||
                           a.name.starts_with("datetime64[") || a.name.starts_with("timedelta64[");
        return tells && a.name == b.name && (a.count == nullptr) == (b.count == nullptr) &&
               (a.count == nullptr || a.count->id == b.count->id);
    }
    if (*a.type == *b.type) return true;
#if defined(_LIBCPP_VERSION)
    // libc++ compares addresses, which two libraries have of their own; libstdc++ compares names. What is in an unnamed namespace has the
    // same name in each file.
    const char* const name = a.type->name();
    return std::strcmp(name, b.type->name()) == 0 && std::strstr(name, "_GLOBAL__N_") == nullptr;
#else
    return false;
#endif
}

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
