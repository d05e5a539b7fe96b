#include <purview/hdf5/open_hdf5.hpp>

#include "detached.hpp"
#include "library.hpp"
#include "object_attributes.hpp"
#include "stored_dataset.hpp"

#include "base/descriptor.hpp"
#include "dtype/stored_types.hpp"
#include "io/read_file.hpp"

#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/chunked_reader.hpp>
#include <purview/reader/mapped_file.hpp>
#include <purview/tensor/create.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {
namespace hdf5 {
namespace {

template <purview::ElementType T>
class Hdf5Array final : public ChunkedReader<T>, public Detachable {
public:
    explicit Hdf5Array(std::shared_ptr<StoredDataset> stored)
        : ChunkedReader<T>({stored->shape(), stored->chunk()}), stored_(std::move(stored)) {
        if constexpr (std::is_same_v<T, std::string>)
            fill_ = stored_->fill_text();
        else
            std::memcpy(static_cast<void*>(&fill_), stored_->fill_bytes().data(), sizeof(T));
    }

    bool read_chunk(ShapeSpan at, std::span<T> out) const override {
        return stored_->read(at, out.data());
    }
    T fill() const override { return fill_; }
    bool detach(index_t most_chunks) const override { return stored_->detach(most_chunks); }

private:
    std::shared_ptr<StoredDataset> stored_;
    T fill_{};
};

/// The elements in the mapped file, or those that are read by chunks.
template <typename T>
AnyTensor tensor_over(std::shared_ptr<StoredDataset> stored, const MappedFile& file) {
    const ShapeSpan shape = stored->shape();
    if constexpr (!std::is_same_v<T, std::string>) {
        if (stored->mapped_at() >= 0)
            return tensor(
                mapped_const_buffer<T>(file, stored->mapped_at(), checked_size(shape, "open_hdf5")),
                AxisValues(shape));
    }
    return tensor(std::make_shared<const Hdf5Array<T>>(std::move(stored)), AxisValues(shape));
}

/// What a group has: a name, and whether it stands for another one in the file.
struct Link {
    std::string name;
    bool is_soft;
};

class Hdf5Group final : public StoredGroup::Source {
public:
    explicit Hdf5Group(const std::string& path)
        : where_(fmt::format("open_hdf5: '{}'", path)),
          path_(file::whole_path("open_hdf5", "open", path)),
          file_of_all_({MappedFile(path), std::make_shared<const file::ReadFile>(where_, path_)}) {
        const Library library;
        access_ = array_access();
        file_ = opened(::H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), where_);
    }

    Attributes attributes(const std::string& group) const override {
        const Library library;
        return attributes_of(open(group, H5I_GROUP).id(), where_of(group));
    }
    std::vector<std::string> arrays(const std::string& group) const override {
        return names(group, H5I_DATASET);
    }
    std::vector<std::string> groups(const std::string& group) const override {
        return names(group, H5I_GROUP);
    }
    void require_group(const std::string& path) const override {
        const Library library;
        open(path, H5I_GROUP);
    }

    bool has_array(const std::string& path) const override {
        const Library library;
        const std::size_t last = path.rfind('/') + 1;
        for (const std::string& name :
             {path.substr(0, last) + kHiddenPrefix + path.substr(last), path}) {
            if (::H5Lexists(file_.id(), name.c_str(), H5P_DEFAULT) <= 0) continue;
            const Handle object = found(name);
            return object && ::H5Iget_type(object.id()) == H5I_DATASET &&
                   !is_bare_dimension(object.id(), where_of(path));
        }
        return false;
    }

    StoredArray array(const std::string& path) const override {
        StoredArray result;
        const std::string where = where_of(path);
        const Opened opened = open_array(path, [&](const StoredDataset& stored) {
            result.attributes = attributes_of(stored.id(), where);
            result.dimension_names =
                dimension_names(stored.id(), path, static_cast<int>(stored.shape().size()), where);
        });
        result.codecs = opened.stored->codecs();
        result.chunk_shape = result.shard_shape = opened.stored->chunk();
        result.values = tensor_of(opened);
        return result;
    }
    AnyTensor values(const std::string& path) const override {
        return tensor_of(open_array(path, [](const StoredDataset&) {}));
    }

private:
    struct Opened {
        std::shared_ptr<StoredDataset> stored;
        OpenFile file;
    };
    /// `look` is called under the library's lock.
    template <typename Look>
    Opened open_array(const std::string& path, const Look& look) const {
        const std::string where = where_of(path);
        const Library library;
        Handle dataset = open(path, H5I_DATASET);
        OpenFile file = file_of(dataset.id(), where);
        auto stored = std::make_shared<StoredDataset>(std::move(dataset), file, where);
        look(*stored);
        return {std::move(stored), std::move(file)};
    }
    static AnyTensor tensor_of(const Opened& opened) {
        const DType dtype = opened.stored->type().dtype;
        const auto make = [&]<typename T>(std::type_identity<T>) -> AnyTensor {
            return tensor_over<T>(opened.stored, opened.file.mapped);
        };
        return dtype == kDType<std::string> ? make(std::type_identity<std::string>{})
                                            : visit_stored_dtype(dtype, "open_hdf5", make);
    }

    std::string where_of(const std::string& path) const {
        return path.empty() ? where_ : fmt::format("{}, '{}'", where_, path);
    }

    /// What lies at a path; nothing where libhdf5 can open nothing, as its message says.
    Handle found(const std::string& path) const {
        Handle object(::H5Oopen(file_.id(), path.empty() ? "/" : path.c_str(), H5P_DEFAULT));
        if (!object && !path.empty()) object = dataset_at(path);
        return object;
    }

    Handle dataset_at(const std::string& path) const {
        return Handle(::H5Dopen2(file_.id(), path.c_str(), access_.id()));
    }
    /// How arrays are opened. Their raw elements may lie in files of their own: libhdf5 looks for these below the
    /// working directory whenever it reads, below that of when this file was opened, as of all paths. And libhdf5
    /// keeps no chunks: of a raw one that it keeps, it trusts the length that the file says.
    Handle array_access() const {
        Handle access = opened(::H5Pcreate(H5P_DATASET_ACCESS), where_);
        std::error_code gone; // then there are none below it
        const std::string folder = std::filesystem::current_path(gone).string();
        checked(::H5Pset_efile_prefix(access.id(), folder.c_str()), where_);
        checked(::H5Pset_chunk_cache(access.id(), H5D_CHUNK_CACHE_NSLOTS_DEFAULT, 0,
                                     H5D_CHUNK_CACHE_W0_DEFAULT),
                where_);
        return access;
    }

    Handle open(const std::string& path, H5I_type_t kind) const {
        // Arrays of NetCDF-4 that are called like a dimension.
        const std::size_t last = path.rfind('/') + 1;
        std::string name = path.substr(0, last) + kHiddenPrefix + path.substr(last);
        const char* const wanted = kind == H5I_GROUP ? "group" : "array";
        if (path.find('\0') != std::string::npos)
            throw FormatError(fmt::format("{}: is no {}", where_of(path), wanted));
        Handle object = found(name);
        if (!object) object = found(name = path);
        if (!object)
            throw FormatError(fmt::format("{}: there is no {} that can be opened: {}",
                                          where_of(path), wanted, error_message()));
        const H5I_type_t actual = ::H5Iget_type(object.id());
        if (actual == H5I_DATASET && kind == actual) {
            object = Handle(); // while it is open, how it is read is the same for all
            object = dataset_at(name);
            if (!object) throw_library_error(where_of(path));
        }
        if (actual == kind) return object;
        throw FormatError(fmt::format("{}: is {} and no {}", where_of(path),
                                      actual == H5I_GROUP     ? "a group"
                                      : actual == H5I_DATASET ? "an array"
                                                              : "a type",
                                      wanted));
    }

    /// The file that a dataset lies in, which a link may have led to.
    OpenFile file_of(hid_t dataset, const std::string& where) const {
        const Handle owner = opened(::H5Iget_file_id(dataset), where);
        const ssize_t length = checked(::H5Fget_name(owner.id(), nullptr, 0), where);
        std::string path(static_cast<std::size_t>(length), '\0');
        checked(::H5Fget_name(owner.id(), path.data(), path.size() + 1), where);
        if (path == path_) return file_of_all_;
        return {MappedFile(path), std::make_shared<const file::ReadFile>(where, path)};
    }

    std::vector<std::string> names(const std::string& group, H5I_type_t kind) const {
        const Library library;
        const Handle opened_group = open(group, H5I_GROUP);
        std::vector<Link> links;
        // The last but one parameter has another type since 1.12.
        const auto add = [](hid_t, const char* name, const auto* info, void* data) -> herr_t {
            try {
                static_cast<std::vector<Link>*>(data)->push_back(
                    {name, info->type == H5L_TYPE_SOFT});
            } catch (...) {
                return -1;
            }
            return 0;
        };
        checked(::H5Literate(opened_group.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &links),
                where_of(group));
        std::vector<std::string> result;
        for (const auto& [link, is_soft] : links) {
            const std::string path = group.empty() ? link : group + "/" + link;
            const Handle object = found(path);
            if (!object) {
                // Nobody knows what it is, and who opens it is told why. A name within the file may lead nowhere.
                if (kind == H5I_DATASET &&
                    (!is_soft || ::H5Oexists_by_name(file_.id(), path.c_str(), H5P_DEFAULT) > 0))
                    result.push_back(shown_name(link));
                continue;
            }
            if (::H5Iget_type(object.id()) != kind) continue;
            if (kind == H5I_DATASET && is_bare_dimension(object.id(), where_of(group))) continue;
            result.push_back(kind == H5I_DATASET ? shown_name(link) : link);
        }
        std::sort(result.begin(), result.end());
        return result;
    }

    std::string where_;
    std::string path_;
    OpenFile file_of_all_;
    Handle access_;
    Handle file_;
};

} // namespace

bool detach(const AnyTensor& array, index_t most_chunks) {
    const auto* const leaf = node_as<Leaf>(*array.operand().node);
    const auto* const stored =
        leaf == nullptr ? nullptr : dynamic_cast<const Detachable*>(&leaf->reader());
    return stored != nullptr && stored->detach(most_chunks);
}

} // namespace hdf5

StoredGroup open_hdf5(const std::string& path) {
    return {std::make_shared<const hdf5::Hdf5Group>(path), ""};
}

} // namespace purview
