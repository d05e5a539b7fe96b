#pragma once

#include <purview/base/index.hpp>
#include <purview/zarr/export.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace purview::inline v0_1 {

/// Bytes by key, as Zarr keeps its metadata and chunks: a folder, a zip file, memory, or what you
/// derive from this: an object store, say. A key is a path of parts between slashes; none of them is
/// empty, `.` or `..`. Called from several threads at a time.
class PURVIEW_ZARR_EXPORT Store {
public:
    using Bytes = std::vector<std::byte>;
    /// `bytes` bytes from `offset` on; a negative offset counts from the end.
    struct ByteRange {
        index_t offset;
        index_t bytes;
    };

    Store() = default;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    virtual ~Store();

    /// What errors call it: a path.
    virtual std::string name() const;
    /// The value of a key; nothing if there is none. Throws `FormatError` where it cannot be read.
    virtual std::optional<Bytes> get(const std::string& key) const = 0;
    /// A part of it: as many of the bytes as there are. By default cut out of the whole value.
    virtual std::optional<Bytes> get(const std::string& key, ByteRange range) const;
    /// Assigns the bytes of a value from `offset` on to `out`, as many as it has room for. How many
    /// there are from there on, or some number above the length of `out` where they are more; nothing
    /// if there is no such key. By default copied from what `get` gives.
    virtual std::optional<index_t> get_into(const std::string& key, index_t offset,
                                            std::span<std::byte> out) const;
    /// This part is going to be asked for. Must not wait for it. By default does nothing.
    virtual void will_get(const std::string& key, ByteRange range) const;
    /// The length of the value of a key; nothing if there is none.
    virtual std::optional<index_t> size(const std::string& key) const = 0;
    /// A text that differs once the value of a key was replaced (an ETag; a file's number and times), so
    /// that what is read in parts, a shard, is of one value; nothing where that cannot be told, as of a
    /// file that was written a moment ago: such a shard is read whole. By default empty: values are
    /// replaced by nobody else while they are read.
    virtual std::optional<std::string> version(const std::string& key) const;
    /// The next parts of all keys that begin with `prefix` and a slash (with an empty one, of all
    /// keys), in ascending order, each once.
    virtual std::vector<std::string> list(const std::string& prefix) const = 0;
    /// Replaces the value of a key; whoever reads meanwhile sees the old or the new one. By default
    /// throws `ReadOnlyError`.
    virtual void put(const std::string& key, std::span<const std::byte> value);
    /// Removes a key, if it is there. By default throws `ReadOnlyError`.
    virtual void erase(const std::string& key);
    /// Removes a key, and all that begin with it and a slash. By default by `list` and `erase`.
    virtual void erase_all(const std::string& key);
    /// Gives a key, and all that begin with it and a slash, another name, which has none. By default by
    /// `list`, `get`, `put` and `erase`.
    virtual void move_all(const std::string& key, const std::string& to);
    /// How many reads are worth having under way at the same time, on threads of their own, where
    /// each waits for an answer; 0 where the operating system reads ahead.
    virtual int concurrency() const noexcept { return 0; }
    /// Where two objects are one store, a text that is theirs alone; empty: this object is by
    /// itself.
    virtual std::string identity() const { return {}; }
};

/// The files below a folder, which need not exist yet. Only regular files are read. A relative path is
/// that of when the store was made, wherever the process goes.
PURVIEW_ZARR_EXPORT std::shared_ptr<Store> directory_store(const std::string& path);
/// The members of a zip file, read-only. Throws `FormatError` where it is none.
PURVIEW_ZARR_EXPORT std::shared_ptr<Store> zip_store(const std::string& path);
/// An empty store in memory.
PURVIEW_ZARR_EXPORT std::shared_ptr<Store> memory_store();

} // namespace purview
