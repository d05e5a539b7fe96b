#pragma once

#include <compare>

namespace oracle {

/// An element that counts its copies and what is done with it.
struct Counted {
    double value = 0;
    static inline long operations = 0;
    static inline long copies = 0;

    Counted() = default;
    Counted(double v) : value(v) {}
    Counted(const Counted& other) : value(other.value) { ++copies; }
    Counted& operator=(const Counted& other) {
        value = other.value;
        ++copies;
        return *this;
    }
    friend Counted operator+(const Counted& a, const Counted& b) { return done(a.value + b.value); }
    friend Counted operator*(const Counted& a, const Counted& b) { return done(a.value * b.value); }
    friend bool operator==(const Counted& a, const Counted& b) {
        return ++operations, a.value == b.value;
    }
    friend std::partial_ordering operator<=>(const Counted& a, const Counted& b) {
        return ++operations, a.value <=> b.value;
    }

private:
    static Counted done(double value) { return ++operations, Counted(value); }
};

} // namespace oracle
