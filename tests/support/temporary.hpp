#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include <unistd.h>

/// Files and folders that are gone with the test.
namespace temporary {

namespace fs = std::filesystem;

inline std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the path, to be written in one go.
inline std::string write_file(const std::string& path, std::string_view bytes) {
    std::ofstream file(path, std::ios::binary);
    file << bytes;
    if (!file.flush()) throw std::runtime_error("cannot write " + path);
    return path;
}

/// An empty folder of a name that no other test has, in this process or in another.
class Folder {
public:
    Folder() {
        static int count = 0;
        do {
            path_ = fs::temp_directory_path() /
                    ("purview-" + std::to_string(::getpid()) + "-" + std::to_string(++count));
        } while (!fs::create_directory(path_));
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    std::size_t file_count() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
    }

private:
    fs::path path_;
};

/// The working directory, until the test ends.
class WorkingDirectory {
public:
    explicit WorkingDirectory(const fs::path& path) { fs::current_path(path); }
    WorkingDirectory(const WorkingDirectory&) = delete;
    WorkingDirectory& operator=(const WorkingDirectory&) = delete;
    ~WorkingDirectory() { fs::current_path(before_); }

private:
    fs::path before_ = fs::current_path();
};

/// A file in a folder of its own.
class File {
public:
    explicit File(std::string_view bytes, const std::string& name = "file")
        : path_(write_file(folder_ / name, bytes)) {}

    const std::string& path() const { return path_; }
    std::string content() const { return temporary::content(path_); }

private:
    Folder folder_;
    std::string path_;
};

} // namespace temporary
