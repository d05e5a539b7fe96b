#pragma once

#include <purview/io/open_safetensors.hpp>
#include <purview/tensor/array_like.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/tensor.hpp>

#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// An array to be saved, with its name: a tensor, or what `as_tensor` takes.
struct SafetensorsArray {
    template <typename X>
        requires requires(X&& x) { AnyTensor(as_tensor(std::forward<X>(x))); }
    SafetensorsArray(std::string array_name, X&& x)
        : name(std::move(array_name)), values(as_tensor(std::forward<X>(x))) {}

    std::string name;
    AnyTensor values;
};

struct SafetensorsOptions {
    SafetensorsMetadata metadata; ///< `{{"format", "pt"}}`
};

/// Writes arrays by their names: `save_safetensors(path, {{"weight", w}, {"bias", b}}, {.metadata = {{"format",
/// "pt"}}})`. Those of larger elements come first, so that all of them are aligned; those of one size in the order given. Row-major. Lazy tensors are evaluated in blocks of 1 MiB, the only extra memory used. O(bytes).
///
/// The file takes the place of `path` when it is complete, as by `save_npy`. Throws `DtypeError` naming the array for
/// element types that the format does not have (complex128, strings, times), `FormatError` for names that come twice or
/// are `__metadata__`, for texts that are no UTF-8, and naming the path and the system's reason when it cannot be written.
PURVIEW_EXPORT void save_safetensors(const std::string& path,
                                     const std::vector<SafetensorsArray>& arrays,
                                     const SafetensorsOptions& options = {});

} // namespace purview
