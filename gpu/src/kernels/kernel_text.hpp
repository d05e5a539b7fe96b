#pragma once

#include "parameters.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1::gpu::detail {

/// The name of a parameter.
inline std::string name_of(char letter, std::size_t i, std::size_t j = kNoNumber) {
    if (letter == 'e') return "flag";
    if (letter == 'n') return "n";
    return j == kNoNumber ? fmt::format("{}{}", letter, i) : fmt::format("{}{}_{}", letter, i, j);
}

/// What the texts of all forms are made of. Coordinate a of an element is the variable c<a>, value k v<k>.
class KernelText {
public:
    explicit KernelText(const Lowered& x) : x_(x), index_(x.wide ? "i64" : "i32") {
        is_vector_.resize(x.uses.size());
    }

protected:
    template <typename... A>
    void say(fmt::format_string<A...> format, A&&... a) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<A>(a)...);
    }

    /// Whether there is an operation that takes the variable `bad`.
    bool notes_errors() const {
        return x_.checked || std::ranges::any_of(x_.values, [&](const Value& v) {
                   return v.count > 0 && divides_integers(v, x_.values[v.operand[0]].type);
               });
    }

    std::string declarations() const {
        std::string s;
        each_parameter(x_, 0, [&](const Parameter& p) {
            if (!s.empty()) s += ", ";
            const std::string name = name_of(p.letter, p.i, p.j);
            if (!p.is_buffer)
                s += fmt::format("const {} {}", p.type, name);
            else if (p.letter == 'e' || p.letter == 'Q' || (p.letter == 'p' && p.i == 0))
                s += fmt::format("GLOBAL {}* {}", p.type, name);
            else if (p.letter == 'p' && x_.uses[p.i].is_written)
                s += fmt::format("GLOBAL const {}* {}", p.type, name);
            else
                s += fmt::format("GLOBAL const {}* RESTRICT {}", p.type, name);
        });
        return s;
    }

    // --- coordinates and addresses ---------------------------------------------------------------------

    /// c<first> … c<last - 1> from the index `from` among their elements.
    void coordinates(std::size_t first, std::size_t last, std::string from) {
        if (first == last) return;
        for (std::size_t a = last; a-- > first + 1;) {
            if (x_.wide)
                say("const i64 q{0} = {1} / x{0}; ", a, from);
            else
                say("const i32 q{0} = (i32)((MULHI((u32)({1}), g{0}) + (u32)({1})) >> h{0}); ", a,
                    from);
            say("const {0} c{1} = {2} - q{1} * x{1};\n", index_, a, from);
            from = fmt::format("q{}", a);
        }
        say("const {} c{} = {};\n", index_, first, from);
    }
    std::string mapped(std::size_t m, const std::string& c) const {
        const AxisMap& map = x_.maps[m].map;
        std::string u = fmt::format("(i64){}", c);
        if (x_.maps[m].wraps_once)
            u = fmt::format(
                "({0} + ({2})F{1} >= ({2})P{1} ? {0} + ({2})F{1} - ({2})P{1} : {0} + ({2})F{1})", c,
                m, index_);
        else if (map.period != 0)
            u = fmt::format("(((S{1} * (i64){0} + F{1}) % P{1} + P{1}) % P{1})", c, m);
        return map.table == nullptr ? u : fmt::format("T{0}[A{0} * {1} + O{0}]", m, u);
    }
    /// Coordinate a of a use.
    std::string coordinate(const Use& use, std::size_t a) const {
        if (use.frame == 0) return fmt::format("c{}", a);
        return fmt::format("({})v{}", index_, x_.frames[use.frame].coordinates[a]);
    }
    /// The address in the outer layer.
    std::string address(std::size_t u) const {
        const Use& use = x_.uses[u];
        if (is_near(
                u)) // of row `row`, in the variable o<u>, the row r is so far away: compilers see which loads are the same
            return fmt::format("o{0} + (r + {1}) * s{0}_{2} + {3}", first_near(u), use.near_rows,
                               x_.rank() - 2, use.near_elements);
        return plain_address(u);
    }
    std::size_t first_near(std::size_t u) const {
        return x_.uses[u].near != 0 ? x_.uses[u].near : u;
    }
    /// Whether there are uses a few rows away from this one.
    bool is_near(std::size_t u) const {
        return x_.rows > 1 &&
               (x_.uses[u].near != 0 || std::ranges::any_of(x_.uses, [u](const Use& use) {
                    return use.near != 0 && use.near == u;
                }));
    }
    std::string plain_address(std::size_t u) const {
        const Use& use = x_.uses[u];
        std::string s = fmt::format("b{}", u);
        for (std::size_t a = 0; a < use.outer.rank; ++a) {
            const AxisUse& axis = x_.axis(use, a);
            const std::string c = coordinate(use, a);
            if (axis.map >= 0)
                s += fmt::format(" + s{}_{} * ({}){}", u, a, index_,
                                 mapped(static_cast<std::size_t>(axis.map), c));
            else if (axis.stride == 1)
                s += " + " + c;
            else if (axis.stride != 0)
                s += fmt::format(" + s{}_{} * {}", u, a, c);
        }
        return s;
    }
    /// The address in memory; `name` is a variable that may be declared for it.
    std::string last_address(std::size_t u, const std::string& name) {
        const Use& use = x_.uses[u];
        if (use.inner_layers == 0) return address(u);
        say("i64 {} = {};\n", name, address(u));
        for (std::size_t l = use.first_inner; l < use.first_inner + use.inner_layers; ++l) {
            const LayerUse& layer = x_.layers[l];
            say("{{ i64 q = {}, sum = B{};\n", name, l);
            for (std::size_t a = layer.first_axis + layer.rank; a-- > layer.first_axis;) {
                const std::int32_t map = x_.axes[a].map;
                say("{{ const i64 c = q % E{0}; q /= E{0}; sum += R{0} * {1}; }}\n", a,
                    map < 0 ? "c" : mapped(static_cast<std::size_t>(map), "c"));
            }
            say("{} = sum; }}\n", name);
        }
        return name;
    }

    // --- values ------------------------------------------------------------------------------------------

    void declare(std::size_t k, const std::string& text) {
        say("const {} v{} = {};\n", value_name(x_.values[k].type), k, text);
    }
    void element(std::size_t k, std::size_t u) {
        const Use& use = x_.uses[u];
        if (x_.is_reversed(u))
            return declare(k, loaded(use.type, fmt::format("w{}.v[{} - m]", u, x_.vector - 1)));
        if (is_vector_[u]) return declare(k, loaded(use.type, fmt::format("w{}.v[m]", u)));
        if (x_.form == Form::tiled && x_.is_staged(u)) {
            const std::string staged =
                x_.vector > 1 ? fmt::format("({})(q{}[m] >> {} * j)", element_name(use.type), u,
                                            8 * bytes_of(use.type)) // of a word
                              : fmt::format("t{}[lx * {} + ly + k]", u, x_.side + 1);
            return declare(k, loaded(use.type, staged));
        }
        const std::string at = last_address(u, fmt::format("a{}", k));
        if (use.source == Use::buffer)
            return declare(k, loaded(use.type, fmt::format("p{}[{}]", first_near(u), at)));
        if (use.type == Stored::int64)
            return declare(k, fmt::format("(i64)((u64)C{0} + (u64)({1}) * (u64)D{0})", u, at));
        declare(k, fmt::format("C{0} + ({2})({1}) * D{0}", u, at, value_name(use.type)));
    }
    void values() {
        for (std::size_t k = 0; k < x_.values.size(); ++k) {
            const Value& v = x_.values[k];
            const std::size_t y = v.number;
            switch (v.what) {
            case Value::element: element(k, v.number); break;
            case Value::constant:
                declare(k, v.type == Stored::boolean ? fmt::format("(bool)(K{} != 0)", y)
                                                     : fmt::format("K{}", y));
                break;
            case Value::operation: declare(k, operation_text(x_, v)); break;
            case Value::index: {
                const std::string counts =
                    v.guard == kNoValue ? "" : fmt::format(" && v{}", v.guard);
                say("i64 j{0} = v{1} < 0 ? v{1} + y{2} : v{1}; if (j{0} < 0 || j{0} >= y{2}) {{ if (1{3}) bad |= {4}; j{0} = 0; }}\n",
                    k, v.operand[0], y, counts, static_cast<int>(Fault::index));
                declare(k, fmt::format("j{}", k));
                break;
            }
            case Value::coordinate:
                declare(k, fmt::format("v{0} >= y{1} && v{0} < y{1} + y{2} ? v{0} - y{1} : 0",
                                       v.operand[0], y, y + 1));
                break;
            case Value::inside:
                declare(k,
                        fmt::format("v{0} >= y{1} && v{0} < y{1} + y{2}{3}", v.operand[0], y, y + 1,
                                    v.count == 2 ? fmt::format(" && v{}", v.operand[1]) : ""));
                break;
            }
        }
    }
    std::string result() const {
        return rounded_to(x_.uses[0].type, fmt::format("v{}", x_.result));
    }
    void store() {
        const std::string at = last_address(0, "to");
        say("p0[{}] = {};\n", at, result());
    }

    const Lowered& x_;
    const char* index_;
    std::string text_;
    std::vector<bool> is_vector_;
};

} // namespace purview::gpu::detail
