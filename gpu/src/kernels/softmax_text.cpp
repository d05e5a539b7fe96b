#include "softmax_text.hpp"

#include "kernel_text.hpp"

#include <algorithm>

namespace purview::inline v0_1::gpu::detail {
namespace {

constexpr index_t kMostEach = 16; ///< elements in a thread's registers

class SoftmaxWriter : KernelText {
public:
    explicit SoftmaxWriter(const Lowered& x) : KernelText(x), type_(value_name(x.uses[0].type)) {}

    std::string write() {
        const RowSoftmax& s = x_.softmax;
        say("KERNEL {}({}) {{\n", kEntry, declarations());
        if (notes_errors()) say("u32 bad = 0;\n");
        say("LOCAL {0} s[{1}]; const u32 lane = TID % {2}; {0} t[{3}];\n", type_, s.group_size(),
            s.threads, s.each);
        say("const {0} row = ({0})((i64)BID * {1} + TID / {2});\n", index_,
            s.group_size() / s.threads, s.threads);
        say("{} m = {};\n", type_,
            x_.uses[0].type == Stored::float64 ? "FLOAT_f64((u64)0xfff << 52)"
                                               : "FLOAT_f32(0xff800000u)"); // -infinity
        each([&] {
            say("const {} r = row * N0 + j;\n", index_);
            coordinates(0, x_.rank(), "r");
            values();
            say("t[u] = v{};\n", x_.result);
        });
        each([&] { say("m = max_{}(m, t[u]);\n", type_); });
        join("m", fmt::format("max_{}(s[TID], s[TID + h])", type_));
        say("{} sum = 0;\n", type_);
        each([&] { say("t[u] = exp(t[u] - m); sum += t[u];\n"); });
        join("sum", "s[TID] + s[TID + h]");
        each([&] { say("p0[b0 + row * N0 + j] = t[u] / sum;\n"); });
        if (x_.checked) say("if (bad) flag[0] = bad;\n");
        say("}}\n");
        return std::move(text_);
    }

private:
    /// Does something with each of a thread's elements: number u, j in its row.
    template <typename F>
    void each(F&& element) {
        say("UNROLL for (int u = 0; u < {0}; ++u) {{ const {1} j = ({1})lane + u * {2}; if (j < N0 && row < N1) {{\n",
            x_.softmax.each, index_, x_.softmax.threads);
        element();
        say("}} }}\n");
    }
    /// What each thread has in a variable, joined with those of its row.
    void join(const char* variable, const std::string& joined) {
        say("BARRIER; s[TID] = {0};\nfor (u32 h = {1}; h > 0; h /= 2) {{ BARRIER; if (lane < h) s[TID] = {2}; }}\nBARRIER; {0} = s[TID - lane];\n",
            variable, x_.softmax.threads / 2, joined);
    }

    const char* type_;
};

} // namespace

std::optional<RowSoftmax> RowSoftmax::of(index_t length, std::size_t group_size) noexcept {
    RowSoftmax s;
    s.length = length;
    const auto most = static_cast<index_t>(std::min<std::size_t>(group_size, 1024));
    // Some eight elements a thread: loads in flight.
    while (s.threads * 2 <= most && s.threads * 8 < length) s.threads *= 2;
    while (s.threads * s.each < length) s.each *= 2;
    if (s.each > kMostEach) return {};
    return s;
}

std::string softmax_text(const Lowered& x) { return SoftmaxWriter(x).write(); }

} // namespace purview::gpu::detail
