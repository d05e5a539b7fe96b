// Defines kernels/text.hpp.
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace purview::inline v0_1::gpu::detail {
namespace {

constexpr const char* kCudaNames = R"(
typedef signed char i8; typedef short i16; typedef int i32; typedef long long i64;
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned u32; typedef unsigned long long u64;
typedef float f32; typedef double f64;
#define KERNEL extern "C" __global__ void
#define GLOBAL
#define LOCAL __shared__
#define FN static __device__ __forceinline__
#define BARRIER __syncthreads()
#define TID threadIdx.x
#define BID blockIdx.x
#define RESTRICT __restrict__
#define MULHI(a, b) __umulhi(a, b)
#define UNROLL _Pragma("unroll")
#define ALIGNED(n) __align__(n)
#define BITS_f32(x) __float_as_uint(x)
#define BITS_f64(x) (u64)__double_as_longlong(x)
#define FLOAT_f32(x) __uint_as_float(x)
#define FLOAT_f64(x) __longlong_as_double((i64)(x))
)";

constexpr const char* kOpenClNames = R"(
#pragma OPENCL FP_CONTRACT OFF
typedef char i8; typedef short i16; typedef int i32; typedef long i64;
typedef uchar u8; typedef ushort u16; typedef uint u32; typedef ulong u64;
typedef float f32;
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double f64;
#endif
#define KERNEL __kernel void
#define GLOBAL __global
#define LOCAL __local
#define FN static inline
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define TID ((u32)get_local_id(0))
#define BID ((u32)get_group_id(0))
#define RESTRICT restrict
#define MULHI(a, b) mul_hi((u32)(a), (u32)(b))
#define UNROLL
#define ALIGNED(n) __attribute__((aligned(n)))
#define BITS_f32(x) as_uint(x)
#define BITS_f64(x) as_ulong(x)
#define FLOAT_f32(x) as_float(x)
#define FLOAT_f64(x) as_double(x)
)";

/// Of floats: T, and U, the integers of its width. The neighbours of a float are those of its bits.
constexpr std::string_view kOfFloats = R"(
FN T min_T(T a, T b) { T c = b < a ? b : a; return b != b ? b : c; }
FN T max_T(T a, T b) { T c = a < b ? b : a; return b != b ? b : c; }
FN T signum_T(T x) { return fabs(x) > 0 ? copysign((T)1, x) : x; }
FN T next_up_T(T x) { U b = BITS_T(x); if (x == 0) return FLOAT_T((U)1); if (!(x < FLOAT_T(INFINITE))) return x; return FLOAT_T(b >> TOP ? b - 1 : b + 1); }
FN T next_down_T(T x) { return -next_up_T(-x); }
FN T ulp_T(T x) { T size = fabs(x), top = FLOAT_T(INFINITE - 1); return size < top ? next_up_T(size) - size : size == top ? size - FLOAT_T(INFINITE - 2) : size; }
FN i64 wrap_i64_T(T x) { return x >= (T)-9223372036854775808.0 && x < (T)9223372036854775808.0 ? (i64)x : (i64)((u64)1 << 63); }
FN u64 wrap_u64_T(T x) { return x > (T)-1.0 && x < (T)18446744073709551616.0 ? (u64)x : (u64)wrap_i64_T(x); }
)";

/// Of integers: T, of W bits; U is what arithmetic on it wraps in.
constexpr std::string_view kOfIntegers = R"(
FN T min_T(T a, T b) { return b < a ? b : a; }
FN T max_T(T a, T b) { return a < b ? b : a; }
FN T shl_T(T a, T b) { u64 n = (u64)b; return n < W ? (T)((u64)a << n) : (T)0; }
)";
constexpr std::string_view kOfSigned = R"(
FN T div_T(T a, T b, u32* bad) { if (b == 0) { *bad |= 1; return 0; } if (b == -1) return (T)((U)0 - (U)a); return (T)(a / b); }
FN T rem_T(T a, T b, u32* bad) { if (b == 0) { *bad |= 1; return 0; } if (b == -1) return 0; return (T)(a % b); }
FN T shr_T(T a, T b) { u64 n = (u64)b; return n < W ? (T)(a >> n) : (T)(a < 0 ? -1 : 0); }
)";
constexpr std::string_view kOfUnsigned = R"(
FN T div_T(T a, T b, u32* bad) { if (b == 0) { *bad |= 1; return 0; } return (T)(a / b); }
FN T rem_T(T a, T b, u32* bad) { if (b == 0) { *bad |= 1; return 0; } return (T)(a % b); }
FN T shr_T(T a, T b) { u64 n = (u64)b; return n < W ? (T)(a >> n) : (T)0; }
)";

/// Of floats of 16 bits, by integer arithmetic: what purview/dtype/half.hpp does.
constexpr std::string_view kOfHalves = R"(
FN f32 half_value(u16 h) { u32 m = h & 0x7fffu, s = (u32)(h & 0x8000u) << 16; u32 small = BITS_f32((f32)(i32)m * 5.9604644775390625e-8f), normal = (m << 13) + (m < 0x7c00u ? 0x38000000u : 0x70000000u); return FLOAT_f32(s | (m < 0x400u ? small : normal)); }
FN u16 half_bits(f32 x) { u32 b = BITS_f32(x), m = b & 0x7fffffffu; u32 small = BITS_f32(FLOAT_f32(m < 0x38800000u ? m : 0u) + 0.5f) - 0x3f000000u, normal = (m - 0x38000000u + 0xfffu + ((m >> 13) & 1u)) >> 13; u32 r = m < 0x38800000u ? small : normal; r = m >= 0x477ff000u ? 0x7c00u : r; r = m > 0x7f800000u ? 0x7e00u | ((m >> 13) & 0x3ffu) : r; return (u16)(r | ((b >> 16) & 0x8000u)); }
FN f32 bfloat16_value(u16 h) { return FLOAT_f32((u32)h << 16); }
FN f32 odd_f64(f64 x) { u64 b = BITS_f64(x), last = (u64)1 << 40; return (f32)FLOAT_f64((b & ~(last - 1)) | ((b & (last - 1)) != 0 ? last : (u64)0)); }
FN u64 odd_bits(u64 x, u64 size) { u64 last = (u64)1 << (size >> 24 == 0 ? 0 : size >> 39 == 0 ? 15 : size >> 54 == 0 ? 30 : 45); return (x & ~(last - 1)) | ((x & (last - 1)) != 0 ? last : (u64)0); }
FN f32 odd_i64(i64 x) { return (f32)(i64)odd_bits((u64)x, (u64)(x < 0 ? ~x : x)); }
FN f32 odd_u64(u64 x) { return (f32)odd_bits(x, x); }
FN u16 bfloat16_bits(f32 x) { u32 b = BITS_f32(x); if ((b & 0x7fffffffu) > 0x7f800000u) return (u16)((b >> 16) | 0x40u); return (u16)((b + 0x7fffu + ((b >> 16) & 1u)) >> 16); }
)";

/// `text` with each word of `from` replaced, also as the end of a name: T in `min_T`.
std::string with_words(std::string_view text,
                       std::initializer_list<std::pair<std::string_view, std::string_view>> words) {
    const auto in_word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && in_word(text[end])) ++end;
        if (end == i) {
            result += text[i++];
            continue;
        }
        std::string_view word = text.substr(i, end - i);
        for (const auto& [from, to] : words)
            if (word == from) {
                word = to;
                break;
            }
        result += word;
        i = end;
    }
    return result;
}

/// One a line, those that are called after those that call them.
const std::vector<std::string>& functions() {
    static const std::vector<std::string> lines = [] {
        std::string s;
        s += with_words(kOfFloats,
                        {{"T", "f32"}, {"U", "u32"}, {"TOP", "31"}, {"INFINITE", "0x7f800000u"}});
        s += with_words(
            kOfFloats,
            {{"T", "f64"}, {"U", "u64"}, {"TOP", "63"}, {"INFINITE", "((u64)0x7ff << 52)"}});
        for (const char* bits : {"8", "16", "32", "64"}) {
            const char* wide = bits == std::string_view("64") ? "u64" : "u32";
            for (const std::string_view text : {kOfSigned, kOfIntegers})
                s += with_words(text, {{"T", fmt::format("i{}", bits)}, {"U", wide}, {"W", bits}});
            for (const std::string_view text : {kOfUnsigned, kOfIntegers})
                s += with_words(text, {{"T", fmt::format("u{}", bits)}, {"W", bits}});
        }
        s += kOfHalves;
        std::vector<std::string> list;
        for (std::size_t i = 0, end = 0; (end = s.find('\n', i)) != std::string::npos; i = end + 1)
            if (end > i) list.push_back(s.substr(i, end - i + 1));
        std::ranges::reverse(list);
        return list;
    }();
    return lines;
}

} // namespace

std::string with_prelude(Dialect dialect, const std::string& kernel) {
    std::string text = kernel;
    for (const std::string& line : functions()) {
        const std::size_t name = line.find(' ', 3) + 1;
        const std::string call = line.substr(name, line.find('(') - name + 1);
        if (text.find(call) != std::string::npos) text.insert(0, line);
    }
    return (dialect == Dialect::cuda ? kCudaNames : kOpenClNames) + text;
}

} // namespace purview::gpu::detail
