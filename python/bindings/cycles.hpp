#pragma once

#include <purview/tensor/any_tensor.hpp>

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

namespace purview_python {

/// A Python object that arrays keep alive, which may hold such an array itself: what Python's collector of cycles is told. Objects that are in no cycle, for the
/// collector does not know their type, are not listed. Listed, and unlisted, with the interpreter's lock.
class CycleMember {
public:
    CycleMember() = default;
    CycleMember(const CycleMember&) = delete;
    CycleMember& operator=(const CycleMember&) = delete;

    /// `object` is held by `holder`, a reader of a leaf or a function of elements; where `owner` is not null, the holder shares it.
    void list(nanobind::handle object, const std::shared_ptr<const void>& holder,
              const std::shared_ptr<const void>& owner = {}) const;
    /// Before the object is let go.
    void unlist() const;

private:
    mutable const void* key_ = nullptr;
};

/// The Python objects below expressions, held once more: who has it shows them without asking who else has the nodes.
class HeldObjects {
public:
    /// The same expressions, with leaves and functions of their own where Python objects are below; nodes that arrays have, too, stay theirs.
    std::vector<purview::Operand> hold_below(std::vector<purview::Operand> operands);
    /// While there is one, this thread traces what these are held for: `here`, else null.
    class Holding {
    public:
        explicit Holding(HeldObjects& held) noexcept : before_(set_here(&held)) {}
        ~Holding() { set_here(before_); }
        Holding(const Holding&) = delete;
        Holding& operator=(const Holding&) = delete;

    private:
        HeldObjects* before_;
    };
    static HeldObjects* here() noexcept;
    /// Sets that, and returns what it was.
    static HeldObjects* set_here(HeldObjects* held) noexcept;
    /// Visits them, for who alone has what `hold_below` has returned.
    int traverse(visitproc visit, void* arg) const;

private:
    struct Held;
    bool holds(const void* held) const;
    std::vector<std::weak_ptr<const Held>> all_;
};

/// Visits the objects that this operand alone keeps alive, for objects of C++ that hold one.
int visit_below(const purview::Operand& operand, visitproc visit, void* arg);
/// Slots of the class of arrays: visits the objects that this array alone keeps alive, and lets them go.
void add_cycles(std::vector<PyType_Slot>& slots);

} // namespace purview_python
