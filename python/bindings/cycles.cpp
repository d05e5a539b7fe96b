// Defines cycles.hpp.
//
// The collector subtracts from the references of an object those that it is shown, so that none may be shown twice: an object is shown by an array that
// is the only one with the nodes down to it. An array that shares them, with a view for one, keeps it alive. While a thread computes without
// the interpreter's lock, it may share nodes for a moment: then none are shown. That does not change during a collection, which has the lock.

#include "cycles.hpp"

#include "array.hpp"
#include "interpreter_lock.hpp"

#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/gather.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/functional/assembly/chunked.hpp>

#include <span>
#include <unordered_map>
#include <utility>

namespace purview_python {
namespace {

struct Listed {
    const CycleMember* member;
    PyObject* object;
    std::weak_ptr<const void> holder;
    std::weak_ptr<const void> owner;
    bool has_owner;

    bool has_one_holder() const noexcept {
        return holder.use_count() == 1 && (!has_owner || owner.use_count() == 1);
    }
};

/// By the address of the holder. Never destroyed, as arrays may be after static objects.
std::unordered_map<const void*, Listed>& listed() {
    static auto& only = *new std::unordered_map<const void*, Listed>;
    return only;
}

int visit_holder(const void* holder, visitproc visit, void* arg) {
    const auto found = listed().find(holder);
    if (found == listed().end() || !found->second.has_one_holder()) return 0;
    return visit(found->second.object, arg);
}

/// The objects of a function of elements and of its derivatives.
int visit_function(const pv::BlockFunction& function, visitproc visit, void* arg) {
    const auto found = listed().find(&function);
    if (found == listed().end() || !found->second.has_one_holder()) return 0;
    int result = visit(found->second.object, arg);
    for (std::size_t i = 0; result == 0; ++i) {
        const pv::BlockFunction* const derivative = function.derivative(i).get(); // shared no more
        if (derivative == nullptr) break;
        result = visit_function(*derivative, visit, arg);
    }
    return result;
}

/// More are not looked at: a collection takes no longer for arrays of long expressions.
constexpr std::size_t kMostNodes = 64;

/// The operand that a reader shows in chunks; null for another reader, and for one that is shared.
const pv::Operand* operand_in_chunks(const pv::Leaf& leaf) {
    if (!leaf.reads(pv::Below::blocks) || leaf.shared_reader().use_count() > 1) return nullptr;
    const auto* const reader = dynamic_cast<const pv::ReadsBoxes*>(&leaf.reader());
    return reader == nullptr ? nullptr : &reader->boxes.operand();
}

int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    return nb::inst_ready(self) ? visit_below(nb::inst_ptr<Array>(self)->operand(), visit, arg) : 0;
}

int clear(PyObject* self) {
    if (!nb::inst_ready(self)) return 0;
    Array nothing(pv::constant_operand(false));
    std::swap(*nb::inst_ptr<Array>(self), nothing);
    return 0;
}

} // namespace

int visit_below(const pv::Operand& operand, visitproc visit, void* arg) {
    if (listed().empty() || Unlocked::threads() > 0) return 0;
    const pv::Node* nodes[kMostNodes] = {operand.node.get()};
    std::size_t count = 1;
    const auto add = [&](const auto& operands) { // Inputs or Operands
        for (const auto& each : operands)
            if (count < kMostNodes) nodes[count++] = each.node.get();
    };
    for (std::size_t i = 0; i < count; ++i) {
        const pv::Node& node = *nodes[i];
        if (node.is_shared()) continue;
        int result = 0;
        if (const auto* const leaf = pv::node_as<pv::Leaf>(node)) {
            result = visit_holder(leaf->shared_reader().get(), visit, arg);
            if (const pv::Operand* const chunked = operand_in_chunks(*leaf))
                add(std::span(chunked, 1));
        } else if (const auto* const elementwise = pv::node_as<pv::Elementwise>(node)) {
            add(elementwise->inputs());
            if (elementwise->function() != nullptr)
                result = visit_function(*elementwise->function(), visit, arg);
        } else if (const auto* const gather = pv::node_as<pv::Gather>(node)) {
            add(gather->operands());
        } else if (const auto* const piecewise = pv::node_as<pv::Piecewise>(node)) {
            add(piecewise->operands());
        }
        if (result != 0) return result;
    }
    return 0;
}

void CycleMember::list(nb::handle object, const std::shared_ptr<const void>& holder,
                       const std::shared_ptr<const void>& owner) const {
    if ((PyType_GetFlags(Py_TYPE(object.ptr())) & Py_TPFLAGS_HAVE_GC) == 0) return;
    key_ = holder.get();
    listed().insert_or_assign(key_, Listed{this, object.ptr(), holder, owner, owner != nullptr});
}

void CycleMember::unlist() const {
    if (key_ == nullptr) return;
    const auto found = listed().find(key_); // another one's, where the holder was gone before
    if (found != listed().end() && found->second.member == this) listed().erase(found);
}

void add_cycles(std::vector<PyType_Slot>& slots) {
    slots.push_back({Py_tp_traverse, reinterpret_cast<void*>(&traverse)});
    slots.push_back({Py_tp_clear, reinterpret_cast<void*>(&clear)});
}

} // namespace purview_python
