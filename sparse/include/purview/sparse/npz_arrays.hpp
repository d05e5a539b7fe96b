#pragma once

#include <purview/io/access.hpp>
#include <purview/io/load_npy.hpp>
#include <purview/sparse/export.hpp>
#include <purview/tensor/array_like.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/tensor.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// How the members of a file are written: uncompressed, or deflated.
enum class Compression : std::uint8_t { stored, deflated };

/// The arrays of an archive that `numpy.savez` or `numpy.savez_compressed` wrote, by name. A handle;
/// copies share the file, which stays open. May be used from several threads.
class PURVIEW_SPARSE_EXPORT NpzArchive {
public:
    /// Opens a file: see `load_npz_arrays`.
    NpzArchive(const std::string& path, Access access);

    /// The names of the arrays, as they stand in the file, without `.npy`; of two members of one name the last counts, as for NumPy. Left out are members that are no arrays
    /// (folders, texts) or of types that Purview does not have (NumPy's strings): `[]` says which.
    const std::vector<std::string>& names() const noexcept;
    /// Whether there is a member of this name, with or without `.npy`.
    bool contains(std::string_view name) const;
    /// The array of a name, with or without `.npy`, read now. One that is stored lies over the mapped
    /// file, O(1), and its checksum is not looked at; one that is deflated is read into memory, O(size).
    /// Throws `IndexError` naming the arrays that there are, `FormatError` naming path and member
    /// for one that is no array, broken or encrypted, `DtypeError` as `load_npy`.
    AnyTensor operator[](std::string_view name) const;
    /// The array of a name with its static type. Throws as `operator[]` does, and `DtypeError` for
    /// another type.
    template <NpyLoaded T>
    Tensor<T> get(std::string_view name) const {
        return Tensor<T>((*this)[name].template as<T>());
    }

private:
    struct State;
    std::shared_ptr<const State> state_;
};

/// Opens an archive of arrays, as `numpy.load` does; elements are read when an array is asked for.
/// Stored members are mapped as `access` says, or, by `Access::in_memory`, read into memory, as
/// deflated ones are always. Whatever the bytes, nothing is allocated that the file could not hold.
/// O(members). Throws `FormatError` naming the path where it is no such file, and `Error` for
/// `Access::read_write`, as what is written would not fit the checksums. (`load_npz` reads the
/// sparse matrices of `scipy.sparse.save_npz`.)
PURVIEW_SPARSE_EXPORT NpzArchive load_npz_arrays(const std::string& path,
                                                 Access access = Access::read_only);

/// An array to be saved, with its name: a tensor, or what `as_tensor` takes.
struct NpzArray {
    template <typename X>
        requires requires(X&& x) { AnyTensor(as_tensor(std::forward<X>(x))); }
    NpzArray(std::string array_name, X&& x)
        : name(std::move(array_name)), values(as_tensor(std::forward<X>(x))) {}

    std::string name;
    AnyTensor values;
};

/// Writes arrays for `numpy.load`: see `save_npz`.
PURVIEW_SPARSE_EXPORT void save_npz_arrays(const std::string& path,
                                           const std::vector<NpzArray>& arrays,
                                           Compression compression);

} // namespace purview
