#pragma once

namespace purview {

// The operators as function objects, for elements that the engine has no kernels for. (Those of
// <functional> cost every user the time to compile that header.)

struct Plus {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a + b) {
        return a + b;
    }
};
struct Minus {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a - b) {
        return a - b;
    }
};
struct Multiplies {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a * b) {
        return a * b;
    }
};
struct Divides {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a / b) {
        return a / b;
    }
};
struct Modulus {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a % b) {
        return a % b;
    }
};
struct EqualTo {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a == b) {
        return a == b;
    }
};
struct NotEqualTo {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a != b) {
        return a != b;
    }
};
struct Less {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a < b) {
        return a < b;
    }
};
struct LessEqual {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a <= b) {
        return a <= b;
    }
};
struct Greater {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a > b) {
        return a > b;
    }
};
struct GreaterEqual {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a >= b) {
        return a >= b;
    }
};
struct LogicalAnd {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a && b) {
        return a && b;
    }
};
struct LogicalOr {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a || b) {
        return a || b;
    }
};
struct Negate {
    template <typename A>
    auto operator()(const A& a) const -> decltype(-a) {
        return -a;
    }
};
struct LogicalNot {
    template <typename A>
    auto operator()(const A& a) const -> decltype(!a) {
        return !a;
    }
};

} // namespace purview
