// A small C module that the Python tests of this folder load.
#include <purview/interop/arrow.hpp>
#include <purview/interop/arrow_stream.hpp>
#include <purview/interop/dlpack.hpp>
#include <purview/purview.hpp>

#include <cstring>
#include <exception>
#include <utility>
#include <vector>

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

/// Takes over an Arrow batch, or an array that is no struct, and exports what it was read as: as it is, or computed, with its
/// rows reversed. 0 if refused.
__attribute__((visibility("default"))) int
arrow_exchanged(pv::arrow::Array* array, pv::arrow::Schema* schema, int is_batch, int reversed,
                pv::arrow::Array* out_array, pv::arrow::Schema* out_schema) {
    const auto changed = [&](pv::Column column) {
        if (reversed == 0) return column;
        column.values = pv::flip(column.values, 0);
        column.missing = pv::flip(column.missing, 0);
        return column;
    };
    return caught([&] {
               if (is_batch == 0) {
                   pv::to_arrow(changed(pv::column_from_arrow(array, schema)))
                       .move_to(out_array, out_schema);
               } else {
                   std::vector<pv::Column> columns;
                   for (const pv::Column& column : pv::from_arrow(array, schema))
                       columns.push_back(changed(column));
                   pv::to_arrow(pv::Columns(std::move(columns))).move_to(out_array, out_schema);
               }
               return out_array;
           }) != nullptr;
}

/// Takes over an Arrow stream and exports what it was read as: batch by batch as they are asked for, or all of them as one. 0 if refused.
__attribute__((visibility("default"))) int arrow_streamed(pv::arrow::Stream* stream, int as_one,
                                                          pv::arrow::Stream* out) {
    return caught([&] {
               pv::arrow::Batches batches = pv::from_arrow_stream(stream);
               const pv::ArrowStreamOptions options{.schema = batches.schema()};
               if (as_one != 0)
                   pv::to_arrow_stream(std::vector{batches.read_all()}, options).move_to(out);
               else
                   pv::to_arrow_stream(std::move(batches), options).move_to(out);
               return out;
           }) != nullptr;
}

/// Calls the deleter of an export that nobody took.
__attribute__((visibility("default"))) void release(void* managed, int versioned) {
    if (versioned != 0)
        dlpack::Release()(static_cast<dlpack::ManagedTensorVersioned*>(managed));
    else
        dlpack::Release()(static_cast<dlpack::ManagedTensor*>(managed));
}
}
