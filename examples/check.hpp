#pragma once

/// What the examples check themselves with.

#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

/// Says what does not hold and remembers it for `exit_status`.
inline int failures = 0;
inline void check(bool holds, std::string_view what) {
    if (holds) return;
    ++failures;
    std::cerr << "FAILED: " << what << '\n';
}

/// Whether a call throws an `Error` whose message contains `text`.
template <typename Error, typename F>
void check_throws(F&& call, std::string_view text) {
    try {
        call();
        check(false, "nothing was thrown, expected: " + std::string(text));
    } catch (const Error& error) {
        check(std::string_view(error.what()).find(text) != std::string_view::npos,
              "expected: " + std::string(text) + ", got: " + error.what());
    }
}

inline int exit_status() {
    std::cout.flush();
    if (failures == 0) std::clog << "\nEverything holds.\n";
    return failures == 0 ? 0 : 1;
}

/// Keeps what is printed to `std::cout` between two looks at it, while still printing it.
class Printed {
public:
    Printed() : terminal_(std::cout.rdbuf(text_.rdbuf())) {}
    ~Printed() { std::cout.rdbuf(terminal_); }
    Printed(const Printed&) = delete;
    Printed& operator=(const Printed&) = delete;

    /// Checks what was printed since the last look. A line break at the start of `text` does not count.
    void equals(std::string_view text) {
        if (text.starts_with('\n')) text.remove_prefix(1);
        const std::string printed = text_.str();
        text_.str("");
        std::ostream(terminal_) << printed << '\n';
        check(printed == text, "printed:\n" + printed + "expected:\n" + std::string(text));
    }

private:
    std::ostringstream text_;
    std::streambuf* terminal_;
};
