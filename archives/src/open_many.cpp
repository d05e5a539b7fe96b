#include <purview/archives/open_many.hpp>

#include "found_array.hpp"
#include "index_file.hpp"

namespace purview::inline v0_1 {

StoredArray open_many(const ArchiveFiles& files, const OpenManyOptions& options) {
    return archives::stored_archive(archives::found_archive(files, options));
}

StoredArray save_index(const std::string& path, const ArchiveFiles& files,
                       const OpenManyOptions& options) {
    const archives::Archive archive = archives::found_archive(files, options);
    StoredArray result = archives::stored_archive(archive); // before a file is written
    archives::write_index(path, archive);
    return result;
}

StoredArray open_index(const std::string& path) {
    return archives::stored_archive(archives::read_index(path));
}

} // namespace purview
