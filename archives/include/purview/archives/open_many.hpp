#pragma once

#include <purview/archives/export.hpp>
#include <purview/io/stored_array.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace purview::inline v0_1 {

class Store; // purview/zarr/store.hpp

/// Files of an archive: paths, patterns of them, and stores.
class PURVIEW_ARCHIVES_EXPORT ArchiveFiles {
public:
    using File = std::variant<std::string, std::shared_ptr<Store>>;

    /// A path, or a pattern: `*`, `?`, `[a-f]` within a name, `**` for folders at any depth; a path that is there is
    /// taken as it is.
    ArchiveFiles(std::string path) : files_{std::move(path)} {}
    ArchiveFiles(const char* path) : files_{std::string(path)} {}
    template <std::convertible_to<std::string> Path>
    ArchiveFiles(const std::vector<Path>& paths) : files_(paths.begin(), paths.end()) {}
    ArchiveFiles(std::initializer_list<File> files) : files_(files) {}
    ArchiveFiles(const std::vector<std::shared_ptr<Store>>& stores)
        : files_(stores.begin(), stores.end()) {}

    const std::vector<File>& list() const noexcept { return files_; }

private:
    std::vector<File> files_;
};

/// Axes that files are put together along: by name, or by number where they have none.
class ArchiveAxes {
public:
    using Axis = std::variant<int, std::string>;

    ArchiveAxes(int axis) : axes_{axis} {}
    ArchiveAxes(const char* name) : axes_{std::string(name)} {}
    ArchiveAxes(std::string name) : axes_{std::move(name)} {}
    ArchiveAxes(std::initializer_list<Axis> axes) : axes_(axes) {}
    ArchiveAxes(std::vector<Axis> axes) : axes_(std::move(axes)) {}

    const std::vector<Axis>& list() const noexcept { return axes_; }

private:
    std::vector<Axis> axes_;
};

/// What files are put in order by.
enum class ArchiveOrder : std::uint8_t {
    automatic, ///< the coordinate of the axis where every file has one, else names
    /// The first element of the array that is called as the axis, ascending. Descending where it does in every file in
    /// which it has more than one element; where some ascend and others descend, ascending.
    coordinate,
    name,  ///< of the path, numbers in it by their value: `t9.nc` before `t10.nc`
    given, ///< as they are listed, those of a pattern by name
};

/// What is done where a file is not there.
enum class MissingFiles : std::uint8_t { refused, filled };

/// How files are put together.
struct OpenManyOptions {
    std::string variable{}; ///< the array in each file, a path in groups; empty: the only one
    ArchiveAxes along = 0;
    ArchiveOrder order = ArchiveOrder::automatic;
    MissingFiles missing = MissingFiles::refused;
};

/// The arrays of many files as one, read only: HDF5 and NetCDF-4, Zarr in folders, zip files and stores, `.npy`
/// and `.npz`. They may differ in length along the axis, in chunks, fill values and element types, which are promoted
/// as in arithmetic. Files whose `scale_factor`, `add_offset`, fill value or units differ are decoded one by one, as
/// `cf_decoded` does, and lose these attributes; where all agree, elements are as they are stored. The names of axes,
/// the other attributes, and codecs are those of the first.
///
/// `.along = "time"` names an axis; one that the arrays do not have is new, and the first. `.along = {"time",
/// "tile"}` puts them in a grid, by their coordinates along each, or by the numbers that differ in their names. With
/// `MissingFiles::filled`, listed files that are not there, and places of the grid that no file has, are as long as
/// the others beside them, or as the first, and the fill value: that of the first, of what is decoded or has none NaN, of
/// times NaT. `FormatError` where elements have none of these.
///
/// Opening reads metadata alone, on all threads. At most 256 files are open at a time. A file that has changed since
/// then, by its size and the time that the system says, is refused when it is opened to be read. What is not seen:
/// changes of a file that is among the 256, which is not looked at again while it is open; and of a Zarr folder chunks
/// that are written again, as it is the metadata's file (`zarr.json`, `.zarray`) that is compared. Chunks that were read
/// are kept, so that old and new ones may come side by side. Stores are not compared at all.
///
/// Throws `FormatError` naming the file that cannot be read, `ShapeError` for one whose other axes are of other
/// extents, `DtypeError` for one whose elements do not go together with the others', `IndexError` for an axis out of range.
PURVIEW_ARCHIVES_EXPORT StoredArray open_many(const ArchiveFiles& files,
                                              const OpenManyOptions& options = {});

/// The same, and writes down what was found, as JSON: `open_index` opens no file. Paths below the folder of `path` are
/// kept relative to it. Throws as `open_many`, and `FormatError` for stores, which have no path, and where `path` cannot
/// be written.
PURVIEW_ARCHIVES_EXPORT StoredArray save_index(const std::string& path, const ArchiveFiles& files,
                                               const OpenManyOptions& options = {});

/// What `save_index` has written down, as one array: O(files), and none of them is opened. Throws `FormatError` naming
/// `path` and what is wrong with it, whatever that is; reading, where a file has changed or is gone, as far as `open_many`
/// sees it.
PURVIEW_ARCHIVES_EXPORT StoredArray open_index(const std::string& path);

} // namespace purview
