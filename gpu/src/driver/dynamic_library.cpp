#include "dynamic_library.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <cstdlib>

#include <dlfcn.h>
#include <glob.h>

namespace purview::inline v0_1::gpu::detail {
namespace {

/// The paths that a pattern matches, the newest version first.
std::vector<std::string> paths_like(const std::string& pattern) {
    std::vector<std::string> paths;
    glob_t found{};
    if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
        for (std::size_t i = found.gl_pathc; i-- > 0;) paths.emplace_back(found.gl_pathv[i]);
    ::globfree(&found);
    return paths;
}

/// What a variable of the environment says, cut at colons.
std::vector<std::string> folders_of(const char* variable) {
    std::vector<std::string> folders;
    const char* given = std::getenv(variable);
    std::string_view rest = given != nullptr ? given : "";
    while (!rest.empty()) {
        const std::size_t end = rest.find(':');
        if (end != 0) folders.emplace_back(rest.substr(0, end));
        rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
    }
    return folders;
}

} // namespace

DynamicLibrary::DynamicLibrary(std::span<const std::string> names) {
    const auto open = [&](const std::string& path) {
        handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle_ != nullptr) path_ = path;
        return handle_ != nullptr;
    };
    for (const std::string& name : names) {
        if (name.find('/') == std::string::npos) {
            if (open(name)) return;
        } else {
            for (const std::string& path : paths_like(name))
                if (open(path)) return;
        }
    }
}

void* DynamicLibrary::address(const char* name) const {
    void* found = handle_ != nullptr ? ::dlsym(handle_, name) : nullptr;
    if (found == nullptr) throw DeviceError(fmt::format("{} has no function {}", path_, name));
    return found;
}

std::vector<std::string> places_of_cuda_library(std::string_view name,
                                                std::span<const int> majors) {
    std::vector<std::string> folders; // of CUDA, then of Python's packages
    for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
        for (const std::string& folder : folders_of(variable)) folders.push_back(folder + "/lib64");
    folders.insert(folders.end(), {"/usr/local/cuda/lib64", "/usr/local/cuda-*/lib64"});
    std::vector<std::string> packages = folders_of("PYTHONPATH");
    for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        for (const std::string& folder : folders_of(variable))
            packages.push_back(folder + "/lib/python3*/site-packages");
    for (const std::string& folder : folders_of("PATH")) // of an environment of Python
        if (folder.ends_with("/bin"))
            packages.push_back(folder.substr(0, folder.size() - 3) + "lib/python3*/site-packages");
    for (const std::string& folder : folders_of("HOME"))
        packages.push_back(folder + "/.local/lib/python3*/site-packages");
    packages.insert(packages.end(),
                    {"/usr/local/lib/python3*/site-packages",
                     "/usr/local/lib/python3*/dist-packages", "/usr/lib/python3*/dist-packages",
                     "/opt/conda/lib/python3*/site-packages"});
    for (const std::string& package : packages) {
        folders.push_back(package + "/nvidia/cu1?/lib");
        folders.push_back(fmt::format("{}/nvidia/cuda_{}/lib", package, name)); // until CUDA 12
        folders.push_back(fmt::format("{}/nvidia/{}/lib", package, name));
    }
    std::vector<std::string> places;
    for (const int major : majors) {
        const std::string file = fmt::format("lib{}.so.{}", name, major);
        places.push_back(file);
        for (const std::string& folder : folders) places.push_back(folder + "/" + file);
    }
    places.push_back(fmt::format("lib{}.so", name));
    return places;
}

} // namespace purview
