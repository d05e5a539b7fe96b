#include "fold_text.hpp"

#include "fold_order.hpp"
#include "kernel_text.hpp"

#include <cstring>
#include <limits>

namespace purview::inline v0_1::gpu::detail {
namespace {

template <typename T>
std::uint64_t identity_of_type(Reduction reduction) noexcept {
    using Limits = std::numeric_limits<T>;
    switch (reduction) {
    case Reduction::sum: return 0;
    case Reduction::product: return bits_of(T{1});
    case Reduction::minimum:
        return bits_of(Limits::has_infinity ? Limits::infinity() : Limits::max());
    default:
        return bits_of(Limits::has_infinity ? static_cast<T>(-Limits::infinity())
                                            : Limits::lowest());
    }
}

/// How folds of bools are done: as the host's `visit_fold` says.
bool is_any(Reduction reduction) noexcept {
    return reduction == Reduction::any_of || reduction == Reduction::maximum;
}

class FoldWriter : KernelText {
public:
    FoldWriter(const Lowered& x, Dialect dialect)
        : KernelText(x),
          type_(element_name(x.uses[0].type)),
          // Loads in flight: none wait for each other. More text than that costs more to build.
          together_(dialect == Dialect::opencl || x.values.size() > 32 ? 1 : 8) {}

    std::string write() {
        const Folding& f = x_.folding;
        const index_t threads = threads_of(f.form);
        const index_t size = f.form == Folding::lanes ? static_cast<index_t>(kFoldThreads) : 256;
        say("KERNEL {}({}) {{\n", kEntry, declarations());
        if (notes_errors()) say("u32 bad = 0;\n");
        if (threads > 1) say("LOCAL {} s[{}];\n", type_, size);
        say("const u32 lane = TID % {0}; const i64 at = (i64)BID * {1} + TID / {0};\n", threads,
            size / threads);
        // Neighbours read neighbours: results of a sequence, parts of a group of lanes.
        if (f.form == Folding::sequence)
            say("const {0} g = ({0})(at % L0), nth = ({0})(at / L0);\n", index_);
        else
            say("const {0} g = ({0})(at / L1), nth = ({0})(at % L1);\n", index_);
        say("const bool used = at < L0 * L1;\n{} acc = I0;\nif (used) {{\n", type_);
        coordinates(0, f.kept, "g");
        say("const {} begin = nth * G1, last = G0 - begin < G1 ? G0 : begin + G1;\n", index_);
        if (f.restarts()) {
            say("for ({0} from = begin; from < last;) {{\n{0} end = (from / G2 + 1) * G2; if (end > last) end = last;\n",
                index_);
            elements("from", threads);
            say("from = end; }}\n");
        } else {
            say("const {} end = last;\n", index_);
            elements("begin", threads);
        }
        if (threads == 1) store_part("acc");
        say("}}\n");
        if (threads > 1) {
            say("s[TID] = acc;\nfor (u32 h = {}; h > 0; h /= 2) {{ BARRIER; if (lane < h) s[TID] = {}; }}\n",
                threads / 2, joined_text(f.reduction, x_.uses[0].type, "s[TID]", "s[TID + h]"));
            say("if (lane == 0 && used) {{\n");
            coordinates(0, f.kept, "g");
            store_part("s[TID]");
            say("}}\n");
        }
        if (x_.checked) say("if (bad) flag[0] = bad;\n");
        say("}}\n");
        return std::move(text_);
    }

private:
    void store_part(const char* value) {
        say("p0[(i64)({}) + (i64)nth * L2] = {};\n", address(0), value);
    }
    /// Folds the elements from `from` on, before `end`, to `acc`.
    void elements(const char* from, index_t step) {
        say("{0} j = {1} + ({0})lane;\n", index_, from);
        const auto element = [&](const std::string& number) {
            say("const {} r = {};\n", index_, number);
            coordinates(x_.folding.kept, x_.rank(), "r");
            values();
        };
        const auto fold_to = [&](const std::string& value) {
            say("acc = {};\n", joined_text(x_.folding.reduction, x_.uses[0].type, "acc", value));
        };
        if (together_ > 1) {
            say("for (; j + {} < end; j += {}) {{ {} t[{}];\nUNROLL for (int u = 0; u < {}; ++u) {{\n",
                step * (together_ - 1), step * together_, type_, together_, together_);
            element(fmt::format("j + {} * u", step));
            say("t[u] = {}; }}\nUNROLL for (int u = 0; u < {}; ++u) ", result(), together_);
            fold_to("t[u]");
            say("}}\n");
        }
        say("for (; j < end; j += {}) {{\n", step);
        element("j");
        fold_to(result());
        say("}}\n");
    }

    const char* type_;
    index_t together_;
};

} // namespace

std::string joined_text(Reduction reduction, Stored type, std::string_view a, std::string_view b) {
    const char* const T = value_name(type);
    if (type == Stored::boolean)
        return fmt::format("(u8)({} {} {})", a, is_any(reduction) ? "|" : "&", b);
    const auto arithmetic = [&](char op) {
        if (is_float(type)) return fmt::format("({} {} {})", a, op, b);
        const char* const U = bytes_of(type) == 8 ? "u64" : "u32";
        return fmt::format("({0})(({1}){2} {3} ({1}){4})", T, U, a, op, b);
    };
    switch (reduction) {
    case Reduction::sum: return arithmetic('+');
    case Reduction::product: return arithmetic('*');
    case Reduction::minimum: return fmt::format("min_{}({}, {})", T, a, b);
    default: return fmt::format("max_{}({}, {})", T, a, b);
    }
}

std::uint64_t identity_of(Reduction reduction, Stored type) noexcept {
    switch (type) {
    case Stored::boolean: return is_any(reduction) ? 0 : 1;
    case Stored::int8: return identity_of_type<std::int8_t>(reduction);
    case Stored::int16: return identity_of_type<std::int16_t>(reduction);
    case Stored::int32: return identity_of_type<std::int32_t>(reduction);
    case Stored::int64: return identity_of_type<std::int64_t>(reduction);
    case Stored::uint8: return identity_of_type<std::uint8_t>(reduction);
    case Stored::uint16: return identity_of_type<std::uint16_t>(reduction);
    case Stored::uint32: return identity_of_type<std::uint32_t>(reduction);
    case Stored::uint64: return identity_of_type<std::uint64_t>(reduction);
    case Stored::float64: return identity_of_type<double>(reduction);
    default: return identity_of_type<float>(reduction);
    }
}

std::uint64_t start_of(Reduction reduction, Stored type) noexcept {
    if (reduction == Reduction::sum && is_float(type))
        return type == Stored::float64 ? bits_of(-0.) : bits_of(-0.f);
    return identity_of(reduction, type);
}

std::string fold_text(const Lowered& x, Dialect dialect) { return FoldWriter(x, dialect).write(); }

std::string join_text(Reduction reduction, Stored type, Dialect dialect) {
    const char* const T = element_name(type);
    const std::string both = joined_text(reduction, type, "s[q]", "s[q + w]");
    return with_prelude(
        dialect,
        fmt::format(
            "KERNEL {0}(GLOBAL const {1}* RESTRICT in, GLOBAL {1}* RESTRICT out, const u32 m, const u32 width, const u32 per, const i64 units) {{\n"
            "LOCAL {1} s[{2}]; const u32 in_group = {2} / width;\n"
            "for (u32 q = TID; q < {2}; q += 256) {{ const i64 unit = (i64)BID * in_group + q / width; const u32 at = (u32)(unit % per) * width + q % width;\n"
            "if (unit < units && at < m) s[q] = in[unit / per * m + at]; }}\n"
            "for (u32 w = 1; w < width; w *= 2) {{ BARRIER;\n"
            "for (u32 q = TID; q < {2}; q += 256) {{ const i64 unit = (i64)BID * in_group + q / width; const u32 i = q % width, at = (u32)(unit % per) * width + i;\n"
            "if (unit < units && i % (2 * w) == 0 && i + w < width && at + w < m) s[q] = {3}; }} }}\n"
            "BARRIER;\nfor (u32 q = TID; q < {2}; q += 256) {{ const i64 unit = (i64)BID * in_group + q / width; if (unit < units && q % width == 0) out[unit] = s[q]; }}\n}}\n",
            kEntry, T, kJoinedAtOnce, both));
}

} // namespace purview::gpu::detail
