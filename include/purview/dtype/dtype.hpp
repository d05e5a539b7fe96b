#pragma once

#include <purview/base/config.hpp>
#include <purview/base/index.hpp>
#include <purview/dtype/complex_element.hpp>
#include <purview/dtype/time_element.hpp>

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>

namespace purview::inline v0_1 {

/// `what(T)` for each built-in element type T.
#define PURVIEW_FOR_BUILTIN_TYPES(what)                                                         \
 what(bool) what(std::int8_t) what(std::int16_t) what(std::int32_t) what(std::int64_t)          \
     what(std::uint8_t) what(std::uint16_t) what(std::uint32_t) what(std::uint64_t) what(float) \
         what(double)

/// The built-in element types, in the order of NumPy's type numbers; `other` is any regular C++
/// type.
enum class TypeId : std::uint8_t {
    boolean,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float32,
    float64,
    other
};

template <typename T>
inline constexpr TypeId kTypeId = TypeId::other;
#define PURVIEW_TYPE_ID(T, ID) \
 template <>                   \
 inline constexpr TypeId kTypeId<T> = TypeId::ID;
PURVIEW_TYPE_ID(bool, boolean)
PURVIEW_TYPE_ID(std::int8_t, int8)
PURVIEW_TYPE_ID(std::int16_t, int16)
PURVIEW_TYPE_ID(std::int32_t, int32)
PURVIEW_TYPE_ID(std::int64_t, int64)
PURVIEW_TYPE_ID(std::uint8_t, uint8)
PURVIEW_TYPE_ID(std::uint16_t, uint16)
PURVIEW_TYPE_ID(std::uint32_t, uint32)
PURVIEW_TYPE_ID(std::uint64_t, uint64)
PURVIEW_TYPE_ID(float, float32)
PURVIEW_TYPE_ID(double, float64)
#undef PURVIEW_TYPE_ID

/// One of the eleven types that the engine has kernels for.
template <typename T>
concept BuiltinType = (kTypeId<T> != TypeId::other);

/// Whether T is a floating-point number of 16 bits (half.hpp), which is computed with as a float.
template <typename T>
inline constexpr bool kIsFloat16 = false;
/// The type that elements of type T are computed with in: their own, but for these.
template <typename T>
using Widened = std::conditional_t<kIsFloat16<T>, float, T>;

// Constants rather than the standard's concepts in `ElementType`, so that compiler errors name what
// a type lacks and do not list the parts of those concepts.
template <typename T>
inline constexpr bool kHasDefaultValue = std::default_initializable<T>;
template <BuiltinType T>
inline constexpr bool kHasDefaultValue<T> = true;
template <typename T>
inline constexpr bool kIsCopyable = std::copyable<T>;
template <BuiltinType T>
inline constexpr bool kIsCopyable<T> = true;
template <typename T>
inline constexpr bool kHasOperatorEqual = std::equality_comparable<T>;
template <BuiltinType T>
inline constexpr bool kHasOperatorEqual<T> = true;

/// A regular C++ type: what a tensor can hold.
template <typename T>
concept ElementType = std::is_object_v<T> && !std::is_const_v<T> && kHasDefaultValue<T> &&
                      kIsCopyable<T> && kHasOperatorEqual<T>;

/// What type-erased code needs to know of an element type: its size and alignment, and how to
/// construct, destroy, copy and print blocks of elements.
struct TypeDescriptor {
    TypeId id = TypeId::other;
    std::uint32_t size = 0;      ///< bytes
    std::uint32_t alignment = 0; ///< bytes
    bool trivial = true; ///< trivially copyable: blocks need neither construction nor destruction
    std::string_view name;
    const std::type_info* type = nullptr; ///< null in code without run-time type information
    void (*construct)(void* first, index_t count) = nullptr; ///< default values
    void (*destroy)(void* first, index_t count) noexcept = nullptr;
    void (*copy)(const void* from, void* to,
                 index_t count) = nullptr; ///< assigns to constructed elements
    void (*print)(std::ostream& out,
                  const void* element) = nullptr; ///< null if it has no operator<<
    /// Whether two elements are equal, or both unequal to themselves (as NaNs are).
    bool (*same)(const void* a, const void* b) = nullptr;
    const TypeDescriptor* count = nullptr; ///< of durations and time points: the type of the count
};

/// Whether two descriptors are of one type, which is not built-in. Where one of them was compiled without run-time type
/// information, strings, complex numbers, and times with a name of NumPy's are known by that; no other types are.
PURVIEW_EXPORT bool describe_one_type(const TypeDescriptor& a, const TypeDescriptor& b) noexcept;

/// Prints a number, so that no one need include <ostream> here. Character types are printed as their numeric code.
PURVIEW_EXPORT void print_number(std::ostream& out, long double number);
PURVIEW_EXPORT void print_number(std::ostream& out, std::int64_t number);
PURVIEW_EXPORT void print_number(std::ostream& out, std::uint64_t number);

/// The name printed for a type: NumPy's for the built-in ones and for times. Specialise it for your
/// own types.
template <typename T>
inline constexpr std::string_view kElementName = "object";
template <typename T>
    requires TimeElement<T>
inline constexpr std::string_view kElementName<T> = time_name<T>();
template <typename T>
    requires CalendarElement<T>
inline constexpr std::string_view kElementName<T> = calendar_name<T>();
template <ComplexElement T>
inline constexpr std::string_view kElementName<T> = complex_name<T>();
#define PURVIEW_ELEMENT_NAME(T, NAME) \
 template <>                          \
 inline constexpr std::string_view kElementName<T> = NAME;
PURVIEW_ELEMENT_NAME(bool, "bool")
PURVIEW_ELEMENT_NAME(std::int8_t, "int8")
PURVIEW_ELEMENT_NAME(std::int16_t, "int16")
PURVIEW_ELEMENT_NAME(std::int32_t, "int32")
PURVIEW_ELEMENT_NAME(std::int64_t, "int64")
PURVIEW_ELEMENT_NAME(std::uint8_t, "uint8")
PURVIEW_ELEMENT_NAME(std::uint16_t, "uint16")
PURVIEW_ELEMENT_NAME(std::uint32_t, "uint32")
PURVIEW_ELEMENT_NAME(std::uint64_t, "uint64")
PURVIEW_ELEMENT_NAME(float, "float32")
PURVIEW_ELEMENT_NAME(double, "float64")
PURVIEW_ELEMENT_NAME(std::string, "string")
#undef PURVIEW_ELEMENT_NAME

/// Whether two elements are the same: equal, or both unequal to themselves (as NaNs are).
template <ElementType T>
bool same_element(const T& a, const T& b) {
    return a == b || (!(a == a) && !(b == b));
}

/// Null in code without run-time type information.
template <typename T>
constexpr const std::type_info* type_info_of() {
#if defined(__cpp_rtti) || defined(_CPPRTTI)
    return &typeid(T);
#else
    return nullptr;
#endif
}

template <ElementType T>
struct DescribedType;

/// The descriptor of the type that durations and time points are counted in; null for other types.
template <typename T>
inline constexpr const TypeDescriptor* kCountDescriptor = nullptr;
template <DurationElement T>
inline constexpr const TypeDescriptor* kCountDescriptor<T> =
    &DescribedType<std::conditional_t<std::same_as<typename T::rep, long long>, std::int64_t,
                                      typename T::rep>>::value;
template <PointElement T>
inline constexpr const TypeDescriptor* kCountDescriptor<T> = kCountDescriptor<typename T::duration>;

/// The functions of a `TypeDescriptor`.
template <typename T>
struct ElementFunctions {
    static void construct(void* first, index_t count) {
        std::uninitialized_value_construct_n(static_cast<T*>(first), count);
    }
    static void destroy(void* first, index_t count) noexcept {
        std::destroy_n(static_cast<T*>(first), count);
    }
    static void copy(const void* from, void* to, index_t count) {
        for (index_t i = 0; i < count; ++i) static_cast<T*>(to)[i] = static_cast<const T*>(from)[i];
    }
    static void print(std::ostream& out, const void* element) {
        const T& x = *static_cast<const T*>(element);
        if constexpr (std::is_floating_point_v<T>)
            print_number(out, static_cast<long double>(x));
        else if constexpr (std::is_signed_v<T>)
            print_number(out, static_cast<std::int64_t>(x));
        else if constexpr (std::is_arithmetic_v<T>)
            print_number(out, static_cast<std::uint64_t>(x));
        else if constexpr (TimeElement<T> || CalendarElement<T>)
            print_text(out, time_text(x));
        else if constexpr (std::same_as<T, std::string> || std::same_as<T, std::string_view>)
            print_text(out, std::string(x)); // libc++ defines their operator<< in <ostream>
        else
            out << x;
    }
    static bool same(const void* a, const void* b) {
        return same_element(*static_cast<const T*>(a), *static_cast<const T*>(b));
    }
};

template <typename T>
concept PrintedElement = std::is_arithmetic_v<T> || TimeElement<T> || CalendarElement<T> ||
    requires(std::ostream& out, const T& element) {
    out << element;
};

template <ElementType T>
struct DescribedType {
    using Functions = ElementFunctions<T>;
    static constexpr auto printer() -> void (*)(std::ostream&, const void*) {
        if constexpr (PrintedElement<T>)
            return &Functions::print;
        else
            return nullptr;
    }
    static constexpr TypeDescriptor value{kTypeId<T>,
                                          static_cast<std::uint32_t>(sizeof(T)),
                                          static_cast<std::uint32_t>(alignof(T)),
                                          std::is_trivially_copyable_v<T>,
                                          kElementName<T>,
                                          type_info_of<T>(),
                                          &Functions::construct,
                                          &Functions::destroy,
                                          &Functions::copy,
                                          printer(),
                                          &Functions::same,
                                          kCountDescriptor<T>};
};
/// The functions of the built-in types are compiled in src/dtype/dtype.cpp.
template <typename T>
struct PURVIEW_EXPORT BuiltinFunctions {
    static void construct(void* first, index_t count);
    static void destroy(void* first, index_t count) noexcept;
    static void copy(const void* from, void* to, index_t count);
    static void print(std::ostream& out, const void* element);
    static bool same(const void* a, const void* b);
};
template <ElementType T>
    requires BuiltinType<T>
struct DescribedType<T> {
    using Functions = BuiltinFunctions<T>;
    static constexpr TypeDescriptor value{kTypeId<T>,
                                          sizeof(T),
                                          alignof(T),
                                          true,
                                          kElementName<T>,
                                          type_info_of<T>(),
                                          &Functions::construct,
                                          &Functions::destroy,
                                          &Functions::copy,
                                          &Functions::print,
                                          &Functions::same};
};

/// An element type at run time: a pointer to its descriptor. Compares equal across libraries.
class DType {
public:
    constexpr explicit DType(const TypeDescriptor& descriptor) noexcept
        : descriptor_(&descriptor) {}

    constexpr TypeId id() const noexcept { return descriptor_->id; }
    constexpr bool is_builtin() const noexcept { return id() != TypeId::other; }
    constexpr bool is_integer() const noexcept {
        return id() >= TypeId::int8 && id() <= TypeId::uint64;
    }
    constexpr bool is_floating() const noexcept {
        return id() == TypeId::float32 || id() == TypeId::float64;
    }
    /// Bytes per element.
    constexpr index_t size_bytes() const noexcept { return descriptor_->size; }
    constexpr std::string_view name() const noexcept { return descriptor_->name; }
    /// Of durations and time points, the type of the number that an element consists of; of other
    /// types, the type itself.
    constexpr DType counted_in() const noexcept {
        return descriptor_->count != nullptr ? DType(*descriptor_->count) : *this;
    }
    constexpr const TypeDescriptor& descriptor() const noexcept { return *descriptor_; }

    friend bool operator==(DType a, DType b) noexcept {
        return a.descriptor_ == b.descriptor_ ||
               (a.id() == b.id() &&
                (a.is_builtin() || describe_one_type(*a.descriptor_, *b.descriptor_)));
    }

private:
    const TypeDescriptor* descriptor_;
};

/// Prints its name: `float64`.
PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out, DType dtype);

/// The run-time tag of a static type.
template <ElementType T>
inline constexpr DType kDType{DescribedType<T>::value};

inline constexpr DType boolean = kDType<bool>;
inline constexpr DType int8 = kDType<std::int8_t>;
inline constexpr DType int16 = kDType<std::int16_t>;
inline constexpr DType int32 = kDType<std::int32_t>;
inline constexpr DType int64 = kDType<std::int64_t>;
inline constexpr DType uint8 = kDType<std::uint8_t>;
inline constexpr DType uint16 = kDType<std::uint16_t>;
inline constexpr DType uint32 = kDType<std::uint32_t>;
inline constexpr DType uint64 = kDType<std::uint64_t>;
inline constexpr DType float32 = kDType<float>;
inline constexpr DType float64 = kDType<double>;

/// The built-in type with this NumPy name ("float64", "bool"). Throws `DtypeError` for any other
/// name.
PURVIEW_EXPORT DType dtype_from_name(std::string_view name);

[[noreturn]] PURVIEW_EXPORT void throw_dtype_mismatch(const char* what, DType expected,
                                                      DType actual);
[[noreturn]] PURVIEW_EXPORT void throw_dtype_unsupported(const char* what, DType dtype);

} // namespace purview
