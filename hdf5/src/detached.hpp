#pragma once

#include <purview/hdf5/export.hpp>
#include <purview/tensor/any_tensor.hpp>

namespace purview::inline v0_1::hdf5 {

/// An array whose file need not stay open.
class Detachable {
public:
    virtual ~Detachable() = default;
    /// See `detach`. Nobody reads the array meanwhile.
    virtual bool detach(index_t most_chunks) const = 0;
};

/// From now on the chunks of an array that `open_hdf5` has just opened are read at their addresses, without libhdf5, and the file is open
/// while one is read alone. False, and nothing is changed, where libhdf5 is needed, or there are more than so many chunks, whose addresses
/// take memory. Throws `FormatError`. purview::archives asks for it.
PURVIEW_HDF5_EXPORT bool detach(const AnyTensor& array, index_t most_chunks);

} // namespace purview::hdf5
