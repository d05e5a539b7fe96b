// A small C module that the Python tests of this folder load.
#include <purview/interop/dlpack.hpp>
#include <purview/purview.hpp>

#include <cstring>
#include <exception>

namespace pv = purview;
namespace dlpack = pv::dlpack;

namespace {

thread_local char message[512];

/// The result of `work`, or null, with the error's text in `message`.
template <typename F>
auto caught(F work) -> decltype(work()) {
    try {
        return work();
    } catch (const std::exception& error) {
        std::strncpy(message, error.what(), sizeof(message) - 1);
        return nullptr;
    }
}

pv::AnyTensor import(void* managed, bool versioned) {
    return versioned ? pv::from_dlpack(static_cast<dlpack::ManagedTensorVersioned*>(managed))
                     : pv::from_dlpack(static_cast<dlpack::ManagedTensor*>(managed));
}

void* exported(const pv::AnyTensor& t, bool versioned, pv::Copy copy) {
    return versioned ? static_cast<void*>(pv::to_dlpack(t, copy).release())
                     : static_cast<void*>(pv::to_unversioned_dlpack(t, copy).release());
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) const char* last_error() { return message; }

/// Takes over a managed tensor and returns an export of the same memory, its axes reversed; null if
/// refused.
__attribute__((visibility("default"))) void* transposed(void* managed, int in_versioned,
                                                        int out_versioned) {
    return caught([&] {
        return exported(pv::transpose(import(managed, in_versioned != 0)), out_versioned != 0,
                        pv::Copy::never);
    });
}

/// What is computed from a tensor: a copy, its first axis reversed and repeated twice.
__attribute__((visibility("default"))) void* computed(void* managed, int in_versioned,
                                                      int out_versioned) {
    return caught([&] {
        const pv::AnyTensor t = import(managed, in_versioned != 0);
        pv::Shape times(static_cast<std::size_t>(t.rank()), 1);
        times[0] = 2;
        return exported(pv::tile(pv::flip(t, 0), times), out_versioned != 0, pv::Copy::if_needed);
    });
}

/// Calls the deleter of an export that nobody took.
__attribute__((visibility("default"))) void release(void* managed, int versioned) {
    if (versioned != 0)
        dlpack::Release()(static_cast<dlpack::ManagedTensorVersioned*>(managed));
    else
        dlpack::Release()(static_cast<dlpack::ManagedTensor*>(managed));
}
}
