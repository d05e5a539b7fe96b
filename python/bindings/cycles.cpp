// Defines cycles.hpp.
//
// The collector subtracts from the references of an object those that it is shown, so that none may be shown twice: an object is shown by an array that
// is the only one with the nodes down to it. An array that shares them, with a view for one, keeps it alive. While a thread computes without
// the interpreter's lock, it may share nodes for a moment: then none are shown. That does not change during a collection, which has the lock.
//
// A compiled program has the nodes of arrays that it captures in several places, beside the arrays. So it gets nodes of its own, of readers and functions that are
// kept by a `Held`, with references of its own to the objects: those it shows, and an array does not count a `Held` among those who share.

#include "cycles.hpp"

#include "array.hpp"
#include "interpreter_lock.hpp"

#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/gather.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/functional/assembly/chunked.hpp>

#include <algorithm>
#include <cstdint>
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

    bool has_one_owner() const noexcept { return !has_owner || owner.use_count() == 1; }
};

/// By the address of the holder. Never destroyed, as arrays may be after static objects.
std::unordered_map<const void*, Listed>& listed() {
    static auto& only = *new std::unordered_map<const void*, Listed>;
    return only;
}
/// How many `Held` share a holder.
std::unordered_map<const void*, long>& held() {
    static auto& only = *new std::unordered_map<const void*, long>;
    return only;
}

/// Which objects are visited: all, or those of holders that only one array uses, or one `Held`; others that hold the objects once more do not count.
enum class Of : std::uint8_t { all, one_array, one_held };

thread_local HeldObjects* held_here = nullptr;

/// The deleter of a holder that is used in the place of another one.
struct Keep {
    std::shared_ptr<const void> held;
    void operator()(const void*) noexcept { held.reset(); }
};

/// `copies`: how many the caller has made of the pointer.
template <typename T>
bool is_visited(const std::shared_ptr<const T>& holder, Of which, long copies = 0) {
    if (which == Of::all) return true;
    if (std::get_deleter<Keep>(holder) != nullptr) return false;
    const auto found = held().find(holder.get());
    const long times = found == held().end() ? 0 : found->second;
    const long users = holder.use_count() - copies;
    return which == Of::one_array ? users == 1 + times : users == 1 && times == 1;
}

/// More are not looked at: a collection takes no longer for arrays of long expressions.
constexpr std::size_t kMostNodes = 64;

/// Which of those below a holder that is visited.
constexpr Of below(Of which) { return which == Of::all ? Of::all : Of::one_array; }

struct Visit {
    visitproc visit;
    void* arg;

    int object_of(const void* holder, Of which) const {
        const auto found = listed().find(holder);
        if (found == listed().end() || found->second.holder.expired()) return 0;
        if (which != Of::all && !found->second.has_one_owner()) return 0;
        return visit(found->second.object, arg);
    }

    int reader(const std::shared_ptr<const pv::AnyReader>& reader, bool has_boxes, Of which) const {
        if (!is_visited(reader, which)) return 0;
        if (const int result = object_of(reader.get(), which); result != 0) return result;
        const auto* const chunked =
            has_boxes ? dynamic_cast<const pv::ReadsBoxes*>(reader.get()) : nullptr;
        if (chunked == nullptr) return 0;
        return operand(chunked->boxes.operand(), below(which));
    }

    /// The objects of a function of elements and of its derivatives.
    int function(const std::shared_ptr<const pv::BlockFunction>& function, Of which,
                 long copies = 0) const {
        if (!is_visited(function, which, copies)) return 0;
        int result = object_of(function.get(), which);
        for (std::size_t i = 0; result == 0; ++i) {
            const std::shared_ptr<const pv::BlockFunction> derivative = function->derivative(i);
            if (derivative == nullptr) break;
            result = this->function(derivative, below(which), 1);
        }
        return result;
    }

    int operand(const pv::Operand& operand, Of which) const {
        const pv::Node* nodes[kMostNodes] = {operand.node.get()};
        std::size_t count = 1;
        const auto add = [&](const auto& operands) { // Inputs or Operands
            for (const auto& each : operands)
                if (count < kMostNodes) nodes[count++] = each.node.get();
        };
        for (std::size_t i = 0; i < count; ++i) {
            const pv::Node& node = *nodes[i];
            if (which != Of::all && node.is_shared()) continue;
            int result = 0;
            if (const auto* const leaf = pv::node_as<pv::Leaf>(node)) {
                result = reader(leaf->shared_reader(), leaf->reads(pv::Below::blocks), which);
            } else if (const auto* const elementwise = pv::node_as<pv::Elementwise>(node)) {
                add(elementwise->inputs());
                if (elementwise->function() != nullptr)
                    result = function(elementwise->shared_function(), which);
            } else if (const auto* const gather = pv::node_as<pv::Gather>(node)) {
                add(gather->operands());
            } else if (const auto* const piecewise = pv::node_as<pv::Piecewise>(node)) {
                add(piecewise->operands());
            }
            if (result != 0) return result;
        }
        return 0;
    }
};

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

/// What an expression uses in the place of a reader or function: that, and its objects once more.
struct HeldObjects::Held {
    std::shared_ptr<const pv::AnyReader> reader;
    std::shared_ptr<const pv::BlockFunction> function;
    std::vector<nb::object> objects;

    Held(std::shared_ptr<const pv::AnyReader> one, std::shared_ptr<const pv::BlockFunction> other,
         std::vector<nb::object> held_objects)
        : reader(std::move(one)), function(std::move(other)), objects(std::move(held_objects)) {
        ++held()[key()];
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() {
        if (!nb::is_alive()) {
            for (nb::object& each : objects) static_cast<void>(each.release());
            return;
        }
        const Locked locked;
        if (--held()[key()] == 0) held().erase(key());
        objects.clear();
    }
    const void* key() const noexcept {
        return reader ? static_cast<const void*>(reader.get()) : function.get();
    }
};

HeldObjects* HeldObjects::here() noexcept { return held_here; }
HeldObjects* HeldObjects::set_here(HeldObjects* held) noexcept {
    return std::exchange(held_here, held);
}

bool HeldObjects::holds(const void* held) const {
    return std::ranges::any_of(all_, [&](const auto& each) { return each.lock().get() == held; });
}

std::vector<pv::Operand> HeldObjects::hold_below(std::vector<pv::Operand> operands) {
    if (listed().empty()) return operands;
    std::unordered_map<const void*, std::shared_ptr<const Held>> known;
    const auto held_of = [&](const std::shared_ptr<const pv::AnyReader>& reader, bool has_boxes,
                             const std::shared_ptr<const pv::BlockFunction>& function)
        -> std::shared_ptr<const Held> {
        const void* const key = reader ? static_cast<const void*>(reader.get()) : function.get();
        const Keep* const kept =
            reader ? std::get_deleter<Keep>(reader) : std::get_deleter<Keep>(function);
        if (kept != nullptr && holds(kept->held.get())) // of the step of a loop
            return nullptr;
        std::shared_ptr<const Held>& same = known[key];
        if (same != nullptr) return same;
        std::vector<nb::object> objects;
        const Visit collect{[](PyObject* object, void* all) {
                                static_cast<std::vector<nb::object>*>(all)->push_back(
                                    nb::borrow(nb::handle(object)));
                                return 0;
                            },
                            &objects};
        static_cast<void>(reader ? collect.reader(reader, has_boxes, Of::all)
                                 : collect.function(function, Of::all));
        if (!objects.empty()) {
            same = std::make_shared<const Held>(reader, function, std::move(objects));
            all_.push_back(same);
        }
        return same;
    };
    return pv::rewritten(operands, [&](const pv::Node&, pv::NodePtr now) -> pv::NodePtr {
        if (const auto* const leaf = pv::node_as<pv::Leaf>(*now)) {
            const auto same =
                held_of(leaf->shared_reader(), leaf->reads(pv::Below::blocks), nullptr);
            if (same == nullptr) return now;
            std::shared_ptr<const pv::AnyReader> reader(&leaf->reader(), Keep{same});
            return leaf->writer() == nullptr
                       ? pv::make_node<pv::Leaf>(std::move(reader))
                       : pv::make_node<pv::Leaf>(std::move(reader), *leaf->writer());
        }
        const auto* const operation = pv::node_as<pv::Elementwise>(*now);
        if (operation == nullptr || operation->function() == nullptr) return now;
        const auto same = held_of(nullptr, false, operation->shared_function());
        if (same == nullptr) return now;
        std::vector<pv::Operand> inputs;
        for (const pv::Operand& each : pv::operands_of(*now)) inputs.push_back(each);
        return pv::elementwise_node(
            operation->op(), operation->dtype(), inputs,
            std::shared_ptr<const pv::BlockFunction>(operation->function(), Keep{same}));
    });
}

int HeldObjects::traverse(visitproc visit, void* arg) const {
    if (Unlocked::threads() > 0) return 0;
    const Visit all{visit, arg};
    for (const std::weak_ptr<const Held>& each : all_) {
        const std::shared_ptr<const Held> now = each.lock();
        if (now == nullptr) continue;
        for (const nb::object& object : now->objects) Py_VISIT(object.ptr());
        const int result = now->reader ? all.reader(now->reader, true, Of::one_held)
                                       : all.function(now->function, Of::one_held);
        if (result != 0) return result;
    }
    return 0;
}

int visit_below(const pv::Operand& operand, visitproc visit, void* arg) {
    if (listed().empty() || Unlocked::threads() > 0) return 0;
    return Visit{visit, arg}.operand(operand, Of::one_array);
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
