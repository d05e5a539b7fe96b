#pragma once

#include "mpi/ranks.hpp"

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>

namespace oracle {

/// A folder that all ranks see, and the first one removes.
class SharedFolder {
public:
    SharedFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "purview_mpi_XXXXXX").string();
        if (world().rank() == 0 && ::mkdtemp(name.data()) == nullptr) std::abort();
        MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
        path_ = name;
    }
    SharedFolder(const SharedFolder&) = delete;
    ~SharedFolder() {
        MPI_Barrier(MPI_COMM_WORLD);
        std::error_code ignored;
        if (world().rank() == 0) std::filesystem::remove_all(path_, ignored);
    }
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }
    std::ptrdiff_t count() const {
        return std::distance(std::filesystem::directory_iterator(path_), {});
    }

private:
    std::string path_;
};

} // namespace oracle
