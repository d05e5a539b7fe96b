"""The recipe of every package in this index: what Debian installed, described as Conan Center's recipe describes its own build.

A version says which of Purview's ranges a package stands for; what is compiled against is the system's, whatever its version.
"""
from os.path import exists
from sysconfig import get_config_var

from conan import ConanFile
from conan.errors import ConanException
from conan.tools.system.package_manager import Apt

required_conan_version = ">=2.4"


def component(libs=(), target=None, pkg_config=None, includes=(), requires=()):
    return {"libs": list(libs), "target": target, "pkg_config": pkg_config, "includes": list(includes), "requires": list(requires)}


# Debian's package; the names that CMake and pkg-config know the package by; its components; the options that its users set.
PACKAGES = {
    "boost": {"apt": "libboost-dev", "file": "Boost", "options": ["header_only"],
              "components": {"headers": component(target="Boost::headers", pkg_config="boost")}},
    "c-blosc": {"apt": "libblosc-dev", "file": "c-blosc", "target": "c-blosc::c-blosc", "pkg_config": "blosc", "libs": ["blosc"]},
    "catch2": {"apt": "catch2", "file": "Catch2", "target": "Catch2::Catch2WithMain", "pkg_config": "catch2-with-main",
               "components": {"_catch2": component(target="Catch2::Catch2", pkg_config="catch2")}},
    "cli11": {"apt": "libcli11-dev", "file": "CLI11", "target": "CLI11::CLI11", "pkg_config": "CLI11"},
    "cmake": {"apt": "cmake"},
    "eigen": {"apt": "libeigen3-dev", "file": "Eigen3", "target": "Eigen3::Eigen", "pkg_config": "eigen3",
              "components": {"eigen3": component(target="Eigen3::Eigen", includes=["/usr/include/eigen3"])}},
    "fast_float": {"apt": "libfast-float-dev", "file": "FastFloat", "target": "FastFloat::fast_float"},
    "flatbuffers": {"apt": "flatbuffers-compiler"},
    "fmt": {"apt": "libfmt-dev", "file": "fmt", "target": "fmt::fmt", "pkg_config": "fmt",
            "components": {"_fmt": component(["fmt"], "fmt::fmt")}},
    "hdf5": {"apt": "libhdf5-dev", "file": "HDF5",
             "components": {"hdf5_c": component(["hdf5_serial"], "HDF5::C", "hdf5", ["/usr/include/hdf5/serial"])}},
    "highway": {"apt": "libhwy-dev",
                "components": {"hwy": component(["hwy"], pkg_config="libhwy"),
                               "hwy_contrib": component(["hwy_contrib"], pkg_config="libhwy-contrib", requires=["hwy"])}},
    "jsoncpp": {"apt": "libjsoncpp-dev", "file": "jsoncpp", "target": "JsonCpp::JsonCpp", "pkg_config": "jsoncpp", "libs": ["jsoncpp"],
                "includes": ["/usr/include/jsoncpp"]},
    "libdeflate": {"apt": "libdeflate-dev", "file": "libdeflate", "target": "libdeflate::libdeflate_shared", "pkg_config": "libdeflate",
                   "libs": ["deflate"]},
    "libdivide": {"apt": "libdivide-dev"},
    "libspng": {"apt": "libspng-dev", "file": "SPNG", "target": "spng::spng", "pkg_config": "libspng", "libs": ["spng"]},
    "libzip": {"apt": "libzip-dev", "file": "libzip", "target": "libzip::zip", "pkg_config": "libzip",
               "options": ["crypto", "with_bzip2", "with_lzma", "with_zstd"],
               "components": {"_libzip": component(["zip"], "libzip::zip", "libzip")}},
    "lz4": {"apt": "liblz4-dev", "file": "lz4", "target": "LZ4::lz4_shared", "pkg_config": "liblz4", "libs": ["lz4"]},
    "onetbb": {"apt": "libtbb-dev", "file": "TBB", "pkg_config": "tbb",
               "components": {"libtbb": component(["tbb"], "TBB::tbb")}},
    "openmpi": {"apt": "libopenmpi-dev", "file": "MPI",
                "components": {"ompi-c": component(["mpi"], "MPI::MPI_C", "ompi-c", [f"/usr/lib/{get_config_var('MULTIARCH')}/openmpi/include"])}},
    "openblas": {"apt": "libopenblas0", "file": "OpenBLAS", "target": "OpenBLAS::OpenBLAS", "pkg_config": "openblas",
                 "options": ["shared", "dynamic_arch"],
                 "components": {"openblas_component": component(["openblas"], "OpenBLAS::pthread", "openblas")}},
    "range-v3": {"apt": "librange-v3-dev",
                 "components": {"range-v3-meta": component(), "range-v3-concepts": component(requires=["range-v3-meta"])}},
    "roaring": {"apt": "libroaring-dev", "file": "roaring", "target": "roaring::roaring", "pkg_config": "roaring", "libs": ["roaring"]},
    "sleef": {"apt": "libsleef-dev", "file": "sleef", "pkg_config": "none",
              "components": {"sleef": component(["sleef"], "sleef::sleef", "sleef")}},
    "xbyak": {"apt": "libxbyak-dev", "file": "xbyak", "target": "xbyak::xbyak", "pkg_config": "xbyak"},
    "zstd": {"apt": "libzstd-dev", "file": "zstd",
             "components": {"zstdlib": component(["zstd"], "zstd::libzstd_shared", "libzstd")}},
}


class SystemPackage(ConanFile):
    description = "What the system has installed, for Conan"
    settings = "os", "arch", "compiler", "build_type"
    options = {"header_only": [True, False], "shared": [True, False], "dynamic_arch": [True, False], "crypto": [False, "openssl"],
               "with_bzip2": [True, False], "with_lzma": [True, False], "with_zstd": [True, False]}
    default_options = {"header_only": False, "shared": False, "dynamic_arch": False, "crypto": "openssl",
                       "with_bzip2": True, "with_lzma": True, "with_zstd": True}

    @property
    def _package(self):
        return PACKAGES[self.name]

    @property
    def _libs(self):
        return [lib for part in (self._package, *self._package.get("components", {}).values()) for lib in part.get("libs", ())]

    def config_options(self):
        for option in type(self).options:
            if option not in self._package.get("options", ()):
                self.options.rm_safe(option)

    def configure(self):
        self.package_type = "application" if self.name in ("cmake", "flatbuffers") else "shared-library" if self._libs else "header-library"

    def package_id(self):
        self.info.clear()

    def system_requirements(self):
        Apt(self).check([self._package["apt"]])

    def package_info(self):
        self._describe(self.cpp_info, self._package)
        for name, part in self._package.get("components", {}).items():
            self._describe(self.cpp_info.components[name], part)

    def _describe(self, info, part):
        info.includedirs, info.bindirs, info.resdirs = part.get("includes", []), [], []
        info.libdirs = [f"/usr/lib/{get_config_var('MULTIARCH')}"] if part.get("libs") else []
        info.libs = part.get("libs", [])
        info.requires = part.get("requires", [])
        for prop, key in (("cmake_file_name", "file"), ("cmake_target_name", "target"), ("pkg_config_name", "pkg_config")):
            if part.get(key):
                info.set_property(prop, part[key])
        for directory in info.libdirs:
            if not exists(directory):
                raise ConanException(f"{self.name}: no {directory}: this index is for Debian and Ubuntu")
