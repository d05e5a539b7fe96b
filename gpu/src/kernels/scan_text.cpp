#include "scan_text.hpp"

#include "fold_text.hpp"
#include "kernel_text.hpp"

#include <algorithm>

namespace purview::inline v0_1::gpu::detail {
namespace {

constexpr index_t kNeighbours = 8; ///< of a thread
constexpr index_t kTile = 256 * kNeighbours;
constexpr index_t kTilesInPart = 4;
constexpr index_t kRowsScanned = 256; ///< by a thread, of lanes of more than twice as many

class ScanWriter : KernelText {
public:
    ScanWriter(const Lowered& x, Dialect dialect)
        : KernelText(x),
          type_(element_name(x.uses[0].type)),
          // As in folds.
          together_(dialect == Dialect::opencl || x.values.size() > 32 ? 1 : 8) {}

    std::string write() {
        say("KERNEL {}({}) {{\n", kEntry, declarations());
        if (notes_errors()) say("u32 bad = 0;\n");
        if (x_.scanning.form == Scanning::groups)
            write_groups();
        else
            write_columns();
        if (x_.checked) say("if (bad) flag[0] = bad;\n");
        say("}}\n");
        return std::move(text_);
    }

private:
    std::string joined(std::string_view a, std::string_view b) const {
        return joined_text(x_.scanning.reduction, x_.uses[0].type, a, b);
    }
    /// begin and last: the part `nth` of a lane.
    void part() {
        say("const {0} begin = nth * N2, last = N0 - begin < N2 ? N0 : begin + N2;\n{1} acc = I0;\n",
            index_, type_);
    }
    void element(const char* number) {
        say("const {} r = {};\n", index_, number);
        coordinates(0, x_.rank(), "r");
        values();
    }

    /// Tiles go through local memory, so that neighbours read and write neighbours. There each thread scans its elements, then the
    /// threads of a lane their totals, by steps of doubling width.
    void write_groups() {
        const auto slots = [&](const char* unroll) {
            say("{}for (u32 u = 0; u < {}; ++u) {{ const u32 at = u * 256 + TID; const {} o = first + at / span, j = from + at % span;\n",
                unroll, kNeighbours, index_);
        };
        // A slot more every 32: the threads of a warp, eight slots apart, meet in no bank.
        say("LOCAL {0} s[{1}]; LOCAL {0} t[256];\nconst u32 lane = TID % M2, span = M2 * {2};\n",
            type_, kTile + kTile / 32, kNeighbours);
        say("const {0} nth = ({0})(BID % M0), first = ({0})(BID / M0 * (256 / M2));\n", index_);
        part();
        say("for ({0} from = begin; from < last; from += span) {{\n", index_);
        slots(together_ > 1 ? "UNROLL " : "");
        say("{} e = I0; if (o < N3 && j < last) {{\n", type_);
        element("o * N0 + j");
        say("e = {}; }}\ns[at + at / 32] = e; }}\nBARRIER;\n", result());
        say("const u32 own = TID * {0} + TID / {1}; {2} sum = s[own];\n", kNeighbours,
            32 / kNeighbours, type_);
        say("UNROLL for (u32 u = 1; u < {}; ++u) s[own + u] = sum = {};\nt[TID] = sum;\n",
            kNeighbours, joined("sum", "s[own + u]"));
        say("for (u32 h = 1; h < M2; h *= 2) {{ BARRIER; if (lane >= h) sum = {}; BARRIER; t[TID] = sum; }}\nBARRIER;\n",
            joined("t[TID - h]", "sum"));
        say("{} before = acc; if (lane > 0) before = {};\nacc = {};\n", type_,
            joined("acc", "t[TID - 1]"), joined("acc", "t[TID - lane + M2 - 1]"));
        say("UNROLL for (u32 u = 0; u < {}; ++u) s[own + u] = {};\nBARRIER;\n", kNeighbours,
            joined("before", "s[own + u]"));
        slots("UNROLL ");
        say("if (o < N3 && j < last) p0[b0 + o * N0 + j] = s[at + at / 32]; }} }}\n");
        if (x_.scanning.parts() > 1) say("if (TID == 0) Q0[BID] = acc;\n");
    }

    void write_columns() {
        say("const i64 at = (i64)BID * 256 + TID;\nif (at < M1) {{\n");
        say("const {0} column = ({0})(at % N1), nth = ({0})(at / N1 % M0), o = ({0})(at / N1 / M0);\n",
            index_);
        part();
        say("{} j = begin;\n", index_);
        const auto rows = [&](index_t count) {
            say("for (; j + {} < last; j += {}) {{ {} t[{}];\nUNROLL for (int u = 0; u < {}; ++u) {{\n",
                count - 1, count, type_, count, count);
            element("(o * N0 + j + u) * N1 + column");
            say("t[u] = {}; }}\n", result());
            say("UNROLL for (int u = 0; u < {}; ++u) p0[b0 + (o * N0 + j + u) * N1 + column] = acc = {}; }}\n",
                count, joined("acc", "t[u]"));
        };
        if (together_ > 1) rows(together_);
        rows(1);
        if (x_.scanning.parts() > 1) say("Q0[at] = acc;\n");
        say("}}\n");
    }

    const char* type_;
    index_t together_;
};

} // namespace

Scanning Scanning::of(Reduction reduction, index_t length, index_t inner) noexcept {
    Scanning s;
    s.form = inner == 1 ? groups : columns;
    s.reduction = reduction;
    s.length = length;
    s.inner = inner;
    s.part = s.form == groups            ? kTile * kTilesInPart
             : length > 2 * kRowsScanned ? kRowsScanned
                                         : length;
    if (s.form == groups)
        while (s.threads < 256 && s.threads * kNeighbours < length) s.threads *= 2;
    return s;
}

std::string scan_text(const Lowered& x, Dialect dialect) { return ScanWriter(x, dialect).write(); }

std::string carry_text(Reduction reduction, Stored type, Dialect dialect) {
    return with_prelude(
        dialect,
        fmt::format(
            "KERNEL {0}(GLOBAL {1}* p, GLOBAL const {1}* RESTRICT in, const i64 length, const i64 inner, const i64 part, const i64 parts, const i64 width, const i64 threads) {{\n"
            "const i64 at = (i64)BID * 256 + TID; if (at >= threads) return;\n"
            "const i64 unit = at / width, column = unit % inner, rest = unit / inner, nth = rest % (parts - 1), o = rest / (parts - 1);\n"
            "const {1} before = in[(o * parts + nth) * inner + column];\n"
            "const i64 first = (nth + 1) * part, last = length - first < part ? length : first + part, step = width * inner, end = (o * length + last) * inner;\n"
            "i64 i = (o * length + first + at % width) * inner + column;\n"
            "for (; i + 7 * step < end; i += 8 * step) {{ {1} t[8]; UNROLL for (int u = 0; u < 8; ++u) t[u] = p[i + u * step];\n"
            "UNROLL for (int u = 0; u < 8; ++u) p[i + u * step] = {2}; }}\n"
            "for (; i < end; i += step) p[i] = {3};\n}}\n",
            kEntry, element_name(type), joined_text(reduction, type, "before", "t[u]"),
            joined_text(reduction, type, "before", "p[i]")));
}

} // namespace purview::gpu::detail
