#include "text.hpp"

#include "fold_text.hpp"
#include "kernel_text.hpp"
#include "scan_text.hpp"
#include "softmax_text.hpp"

#include <bit>

namespace purview::inline v0_1::gpu::detail {
namespace {

class FormWriter : KernelText {
public:
    using KernelText::KernelText;

    std::string write() {
        declare_vectors();
        say("KERNEL {}({}) {{\n", kEntry, declarations());
        if (notes_errors()) say("u32 bad = 0;\n");
        switch (x_.form) {
        case Form::linear:
        case Form::rows: write_rows(); break;
        case Form::tiled: write_tiled(); break;
        case Form::general: write_general(); break;
        case Form::fold: // fold_text.cpp, scan_text.cpp, softmax_text.cpp
        case Form::scan:
        case Form::softmax: break;
        }
        if (x_.checked) say("if (bad) flag[0] = bad;\n");
        say("}}\n");
        return std::move(text_);
    }

private:
    // --- forms ---------------------------------------------------------------------------------------------

    void declare_vectors() {
        std::uint32_t declared = 0;
        for (std::size_t u = 0; u < x_.uses.size(); ++u) {
            is_vector_[u] =
                x_.vector > 1 && (x_.is_line(x_.uses[u], x_.rank() - 1) || x_.is_reversed(u));
            const Stored t = x_.uses[u].type;
            if (!is_vector_[u] || (declared >> static_cast<int>(t) & 1) != 0) continue;
            declared |= 1u << static_cast<int>(t);
            say("typedef struct ALIGNED({0}) {{ {1} v[{2}]; }} {3};\n", bytes_of(t) * x_.vector,
                element_name(t), x_.vector, vector_name(t));
        }
    }
    static std::string vector_name(Stored t) { return fmt::format("W{}", static_cast<int>(t)); }

    /// Threads take several rows of one column: whole ones without a branch between them, so that loads are shared.
    void write_row_blocks() {
        const std::size_t last = x_.rank() - 1;
        say("const {0} c{1} = ({0})(BID % z0) * {2} + ({0})TID;\n", index_, last, segment_of(x_));
        say("const u32 block = BID / z0; const {0} row = ({0})(block % z1) * {1}, rest = ({0})(block / z1);\n",
            index_, x_.rows);
        coordinates(0, last - 1, "rest");
        const auto rows = [&](const char* loop) {
            say("{0} {{ const {1} c{2} = row + r;\n", loop, index_, last - 1);
            values();
            store();
            say("}}\n");
        };
        for (std::size_t u = 1; u < x_.uses.size(); ++u)
            if (is_near(u) && first_near(u) == u)
                say("{0} o{1}; {{ const {0} c{2} = row; o{1} = {3}; }}\n", index_, u, last - 1,
                    plain_address(u));
        say("if (c{0} < x{0}) {{ if (row + {1} <= x{2}) {{\n", last, x_.rows, last - 1);
        rows(fmt::format("UNROLL for (int r = 0; r < {}; ++r)", x_.rows).c_str());
        say("}} else {{\n");
        rows(fmt::format("for (int r = 0; row + r < x{}; ++r)", last - 1).c_str());
        say("}} }}\n");
    }

    void write_rows() {
        if (x_.rows > 1) return write_row_blocks();
        const std::size_t last = x_.rank() - 1;
        const int vector = x_.vector;
        if (last == 0) {
            say("const {0} first = ({0})BID * {1} + ({0})TID * {2};\n", index_, segment_of(x_),
                vector);
        } else {
            say("const {0} row = ({0})(BID / z0), first = ({0})(BID % z0) * {1} + ({0})TID * {2};\n",
                index_, segment_of(x_), vector);
            coordinates(0, last, "row");
        }
        say("UNROLL for (int u = 0; u < {}; ++u) {{\nconst {} c{} = first + u * {};\n", x_.unroll,
            index_, last, 256 * vector);
        say("if (c{0} < x{0}) {{\n", last);
        if (vector == 1) {
            values();
            store();
            say("}} }}\n");
            return;
        }
        say("const bool full = c{0} + {1} <= x{0};\n", last, vector);
        for (std::size_t u = 0; u < x_.uses.size(); ++u) {
            if (!is_vector_[u]) continue;
            const std::string W = vector_name(x_.uses[u].type);
            say("{} w{};\n", W, u);
            if (u == 0) continue;
            const bool reversed = x_.is_reversed(u); // from the last element on
            say("{{ GLOBAL const {2}* p = p{0} + ({3}){6};\nif (full) w{0} = *(GLOBAL const {1}*)p; else {{ "
                "UNROLL for (int m = 0; m < {4}; ++m) if (c{5} + {7} < x{5}) w{0}.v[m] = p[m]; }} }}\n",
                u, W, element_name(x_.uses[u].type), address(u), vector, last,
                reversed ? fmt::format(" - {}", vector - 1) : "",
                reversed ? fmt::format("({} - m)", vector - 1) : "m");
        }
        const std::string to = address(0);
        say("GLOBAL {0}* const to = p0 + ({1});\nconst {2} begin = c{3};\n",
            element_name(x_.uses[0].type), to, index_, last);
        say("UNROLL for (int m = 0; m < {0}; ++m) {{ const {1} c{2} = begin + m; if (full || c{2} < x{2}) {{\n",
            vector, index_, last);
        values();
        say("w0.v[m] = {}; }} }}\n", result());
        say("if (full) *(GLOBAL {0}*)to = w0; else {{ UNROLL for (int m = 0; m < {1}; ++m) if (begin + m < x{2}) to[m] = w0.v[m]; }}\n",
            vector_name(x_.uses[0].type), vector, last);
        say("}} }}\n");
    }

    void write_general() {
        say("UNROLL for (int u = 0; u < {0}; ++u) {{\nconst i64 at = (i64)BID * {1} + u * 256 + TID; if (at < n) {{\n",
            x_.unroll, 256 * x_.unroll);
        say("const {0} i = ({0})at;\n", index_);
        coordinates(0, x_.rank(), "i");
        values();
        store();
        say("}} }}\n");
    }

    /// Tiles of words of several elements. A thread turns four squares of as many words.
    void write_tiled_words() {
        const std::size_t last = x_.rank() - 1;
        const std::size_t t = x_.tile_axis;
        const int v = x_.vector;
        const auto name = [&](std::size_t u) { return vector_name(x_.uses[u].type); };
        const auto word = [&](std::size_t u) {
            return v * static_cast<int>(bytes_of(x_.uses[u].type)) == 4 ? "u32" : "u16";
        };
        for (std::size_t u = 1; u < x_.uses.size(); ++u)
            if (x_.is_staged(u)) say("LOCAL {} t{}[{} * 33];\n", word(u), u, x_.side);
        tile_corner();
        say("const int lx = TID & 31, ly = TID >> 5;\n");
        // A square of words is inside, or outside, as a whole.
        say("UNROLL for (int k = 0; k < 4; ++k) {{ const int at = (ly + 8 * k) * {0};\n", v);
        say("const {0} c{1} = side_corner + lx * {2}; if (c{1} < x{1} && corner + at < x{3}) {{\n",
            index_, t, v, last);
        for (std::size_t u = 1; u < x_.uses.size(); ++u)
            if (x_.is_staged(u))
                say("{0} h{1}[{2}]; UNROLL for (int j = 0; j < {2}; ++j) {{ const {3} c{4} = corner + at + j; h{1}[j] = *(GLOBAL const {0}*)(p{1} + ({5})); }}\n",
                    word(u), u, v, index_, last, address(u));
        for (std::size_t u = 1; u < x_.uses.size(); ++u)
            if (x_.is_staged(u))
                say("UNROLL for (int j = 0; j < {1}; ++j) t{0}[(at + j) * 33 + lx] = h{0}[j];\n", u,
                    v);
        say("}} }}\nBARRIER;\nconst {0} begin = corner + lx * {1};\n", index_, v);
        say("UNROLL for (int k = 0; k < 4; ++k) {{ const int at = ly + 8 * k; if (side_corner + at * {0} < x{1} && begin < x{2}) {{\n",
            v, t, last);
        for (std::size_t u = 1; u < x_.uses.size(); ++u)
            if (x_.is_staged(u))
                say("{0} q{1}[{2}]; UNROLL for (int m = 0; m < {2}; ++m) q{1}[m] = t{1}[(lx * {2} + m) * 33 + at];\n",
                    word(u), u, v);
        say("UNROLL for (int j = 0; j < {0}; ++j) {{ const {1} c{2} = side_corner + at * {0} + j;\n",
            v, index_, t);
        const auto each_vector = [&](auto&& write) {
            for (std::size_t u = 0; u < x_.uses.size(); ++u)
                if (is_vector_[u]) write(u);
        };
        each_vector([&](std::size_t u) { say("{} w{};\n", name(u), u); });
        say("{{ const {} c{} = begin;\n", index_, last);
        each_vector([&](std::size_t u) {
            if (u != 0) say("w{0} = *(GLOBAL const {1}*)(p{0} + ({2}));\n", u, name(u), address(u));
        });
        say("}}\nUNROLL for (int m = 0; m < {0}; ++m) {{ const {1} c{2} = begin + m;\n", v, index_,
            last);
        values();
        say("w0.v[m] = {}; }}\n", result());
        say("{{ const {0} c{1} = begin; *(GLOBAL {2}*)(p0 + ({3})) = w0; }} }} }} }}\n", index_,
            last, name(0), address(0));
    }
    void tile_corner() {
        const std::size_t last = x_.rank() - 1;
        say("u32 b = BID; const {0} corner = ({0})(b % z0) * {1}; b /= z0; const {0} side_corner = ({0})(b % z1) * {1}; b /= z1;\n",
            index_, x_.side);
        for (std::size_t a = last; a-- > 0;)
            if (a != x_.tile_axis)
                say("const {0} c{1} = ({0})(b % (u32)x{1}); b /= (u32)x{1};\n", index_, a);
    }

    void write_tiled() {
        if (x_.vector > 1) return write_tiled_words();
        const std::size_t last = x_.rank() - 1;
        const std::size_t t = x_.tile_axis;
        const int side = x_.side;
        const auto inside = [&] { say("if (c{0} < x{0} && c{1} < x{1}) {{\n", t, last); };
        for (std::size_t u = 1; u < x_.uses.size(); ++u)
            if (x_.is_staged(u))
                say("LOCAL {} t{}[{} * {}];\n", element_name(x_.uses[u].type), u, side, side + 1);
        tile_corner();
        say("const int lx = TID & {}, ly = TID >> {};\n", side - 1,
            std::countr_zero(static_cast<unsigned>(side)));
        say("UNROLL for (int k = 0; k < {0}; k += {1}) {{\nconst {2} c{3} = side_corner + lx, c{4} = corner + ly + k;\n",
            side, 256 / side, index_, t, last);
        inside();
        for (std::size_t u = 1; u < x_.uses.size(); ++u)
            if (x_.is_staged(u))
                say("t{0}[(ly + k) * {1} + lx] = p{0}[{2}];\n", u, side + 1, address(u));
        say("}} }}\nBARRIER;\n");
        say("UNROLL for (int k = 0; k < {0}; k += {1}) {{\nconst {2} c{3} = side_corner + ly + k, c{4} = corner + lx;\n",
            side, 256 / side, index_, t, last);
        inside();
        values();
        store();
        say("}} }}\n");
    }
};

} // namespace

std::string source_of(const Lowered& x, Dialect dialect) {
    return with_prelude(dialect, x.form == Form::fold      ? fold_text(x, dialect)
                                 : x.form == Form::scan    ? scan_text(x, dialect)
                                 : x.form == Form::softmax ? softmax_text(x)
                                                           : FormWriter(x).write());
}

} // namespace purview::gpu::detail
