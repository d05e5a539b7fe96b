#pragma once

#include "interpreter_lock.hpp"

#include <exception>
#include <memory>
#include <utility>

namespace purview_python {

namespace nb = nanobind;

/// What Python has raised, as it passes through the library, whose threads may share it: `nb::python_error` is for one of them.
class Raised final : public std::exception {
public:
    /// With the interpreter's lock, as `set`.
    explicit Raised(const nb::python_error& error);
    const char* what() const noexcept override { return "an error of Python"; }
    /// Raises it again.
    void set() const noexcept;

private:
    std::shared_ptr<nb::object> error_;
};

/// What `work` returns, which runs Python's code, with the interpreter's lock, on any thread. Throws `Raised` for what it raises.
template <typename F>
decltype(auto) calling_python(F&& work) {
    const Locked locked;
    try {
        return running_python(std::forward<F>(work));
    } catch (const nb::python_error& error) {
        throw Raised(error);
    }
}

} // namespace purview_python
