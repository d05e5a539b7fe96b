#pragma once

#include "array.hpp"
#include "cycles.hpp"
#include "interpreter_lock.hpp"

#include <memory>
#include <utility>

namespace purview_python {

/// A Python object that expressions call. While there is one, whatever is computed is computed without the interpreter's lock, which another
/// thread of the computation may ask for.
class Callback {
public:
    explicit Callback(nb::object object);
    Callback(const Callback&) = delete;
    Callback& operator=(const Callback&) = delete;
    ~Callback();

    nb::handle get() const { return object_; }
    /// For Python's collector of cycles.
    void list(const std::shared_ptr<const void>& holder) const { member_.list(object_, holder); }

private:
    nb::object object_;
    CycleMember member_{};
};

/// Whether some array calls functions of Python, for which the thread that computes may need the interpreter's lock.
bool calls_python() noexcept;

} // namespace purview_python
