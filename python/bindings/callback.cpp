// Objects that expressions call.

#include "callback.hpp"

#include "interpreter_lock.hpp"

#include <atomic>
#include <utility>

namespace purview_python {
namespace {

std::atomic<int> callbacks = 0;

} // namespace

Callback::Callback(nb::object object) : object_(std::move(object)) { ++callbacks; }

Callback::~Callback() {
    --callbacks;
    if (!nb::is_alive()) {
        static_cast<void>(object_.release());
        return;
    }
    const Locked locked;
    member_.unlist();
    object_.reset();
}

bool calls_python() noexcept { return callbacks.load(std::memory_order_relaxed) > 0; }

} // namespace purview_python
