#include "product_text.hpp"

#include "text.hpp"

#include <fmt/format.h>

namespace purview::inline v0_1::gpu::detail {
namespace {

constexpr int kSlab = 16; ///< summed elements that are in local memory at once

/// T is the type of elements, A of sums, SIDE and SLAB the extents of a square, OWN = SIDE / 16 what a thread has of each axis.
constexpr const char* kProduct = R"(
#define OWN (SIDE / 16)
KERNEL ENTRY(GLOBAL T* c, GLOBAL const T* RESTRICT a, GLOBAL const T* RESTRICT b, const T scale, const i64 m, const i64 n, const i64 k, const i64 across, const i64 squares, const i64 a0, const i64 ab, const i64 ar, const i64 ac, const i64 b0, const i64 bb, const i64 br, const i64 bc, const i64 c0, const i64 cb, const i64 cr, const i64 cc) {
LOCAL A sa[SLAB][SIDE + 1]; LOCAL A sb[SLAB][SIDE + 1];
const i64 batch = (i64)BID / squares, square = (i64)BID % squares, row = square / across * SIDE, column = square % across * SIDE;
const u32 x = TID % 16, y = TID / 16;
const i64 from_a = a0 + batch * ab + row * ar, from_b = b0 + batch * bb + column * bc;
A sum[OWN][OWN];
UNROLL for (int i = 0; i < OWN; ++i) { UNROLL for (int j = 0; j < OWN; ++j) sum[i][j] = 0; }
for (i64 first = 0; first < k; first += SLAB) {
UNROLL for (int u = 0; u < SIDE * SLAB / 256; ++u) { const u32 at = TID + 256 * u;
const u32 i = ac == 1 ? at / SLAB : at % SIDE, s = ac == 1 ? at % SLAB : at / SIDE;
sa[s][i] = row + i < m && first + s < k ? (A)a[from_a + i * ar + (first + s) * ac] : (A)0;
const u32 j = br == 1 ? at / SLAB : at % SIDE, r = br == 1 ? at % SLAB : at / SIDE;
sb[r][j] = column + j < n && first + r < k ? (A)b[from_b + j * bc + (first + r) * br] : (A)0; }
BARRIER;
UNROLL for (int s = 0; s < SLAB; ++s) { A p[OWN], q[OWN];
UNROLL for (int i = 0; i < OWN; ++i) { p[i] = sa[s][y + 16 * i]; q[i] = sb[s][x + 16 * i]; }
UNROLL for (int i = 0; i < OWN; ++i) { UNROLL for (int j = 0; j < OWN; ++j) sum[i][j] = ADDED(p[i], q[j], sum[i][j]); } }
BARRIER; }
UNROLL for (int i = 0; i < OWN; ++i) { UNROLL for (int j = 0; j < OWN; ++j) {
const i64 r = row + y + 16 * i, s = column + x + 16 * j;
if (r < m && s < n) c[c0 + batch * cb + r * cr + s * cc] = (T)(sum[i][j] * (A)scale); } }
}
)";

} // namespace

std::string product_text(Stored type, int side, Dialect dialect) {
    const char* const sum = is_float(type) ? value_name(type) : bytes_of(type) == 8 ? "u64" : "u32";
    return with_prelude(
        dialect, fmt::format("#define T {}\n#define A {}\n#define SIDE {}\n#define SLAB {}\n"
                             "#define ENTRY {}\n#define ADDED(p, q, sum) {}\n{}",
                             value_name(type), sum, side, kSlab, kEntry,
                             is_float(type) ? "fma(p, q, sum)" : "((sum) + (p) * (q))", kProduct));
}

} // namespace purview::gpu::detail
