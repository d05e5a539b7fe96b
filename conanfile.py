import re
from os.path import join

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import can_run, check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir
from conan.tools.scm import Version

required_conan_version = ">=2.28"


class PurviewConan(ConanFile):
    name = "purview"
    description = "Lazy n-dimensional arrays over anything that can be read by index"
    license = "MIT"
    topics = ("array", "tensor", "lazy", "views", "simd")

    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    # targets: the processors that there are kernels for, as PURVIEW_TARGETS in docs/packaging.md. A package of `native` is for the machine that made it.
    # with_openblas: loaded when matrices are multiplied, never linked.
    options = {"shared": [True, False], "fPIC": [True, False], "with_sparse": [True, False], "with_linalg": [True, False], "with_fft": [True, False],
               "with_image": [True, False], "with_csv": [True, False], "with_zarr": [True, False], "with_hdf5": [True, False], "with_archives": [True, False], "with_arrow": [True, False],
               "with_parquet": [True, False], "with_gpu": [True, False], "with_mpi": [True, False],
               "with_openblas": [True, False], "targets": ["ANY"]}
    # Those of other packages are what takes least to build: Purview works with any.
    default_options = {"shared": False, "fPIC": True, "with_sparse": True, "with_linalg": True, "with_fft": True, "with_image": True, "with_csv": True, "with_zarr": False, "with_hdf5": False, "with_archives": False, "with_arrow": False, "with_parquet": False, "with_gpu": False,
                       "with_mpi": False, "with_openblas": True, "targets": "all",
                       "boost/*:header_only": True, "openblas/*:shared": True, "openblas/*:dynamic_arch": True,
                       "arrow/*:parquet": True, "arrow/*:with_zstd": True, "arrow/*:with_snappy": True,
                       "libzip/*:crypto": False, "libzip/*:with_bzip2": False,
                       "libzip/*:with_lzma": False, "libzip/*:with_zstd": False}
    implements = ["auto_shared_fpic"]

    # What the gates run.
    _compiler_floors = {"gcc": "12", "clang": "19"}

    # [checkout] packaging/make.py replaces this by what Conan Center's recipe has.
    exports_sources = (
        "CMakeLists.txt", "cmake/*", "include/*", "src/*", "sparse/*", "linalg/*", "fft/*", "image/*", "csv/*", "zarr/*", "hdf5/*", "archives/*", "arrow/*", "parquet/*", "gpu/*", "mpi/*", "tests/*", "examples/*",
        "test_package/*", "tools/gdb/*", "LICENSE", "THIRD_PARTY.md", "licenses/*",
    )

    def set_version(self):
        text = load(self, join(self.recipe_folder, "CMakeLists.txt"))
        self.version = re.search(r"project\(purview\s+VERSION ([\d.]+)", text)[1]

    def layout(self):
        cmake_layout(self)
    # [/checkout]

    def requirements(self):
        # Of Boost and Highway only headers, so that any build of them will do and nothing of them is linked.
        self.requires("boost/[>=1.74 <2]", libs=False, run=False)
        self.requires("fmt/[>=9 <13]")
        self.requires("libdivide/[>=5.0 <6]")
        self.requires("highway/[>=1.0.3 <2]", libs=False, run=False)
        self.requires("sleef/[>=3.5.1 <4]")
        self.requires("onetbb/[>=2021.8 <2024]")
        self.requires("roaring/[>=2.0 <5]")
        if self.settings.arch == "x86_64":
            self.requires("xbyak/[>=6.0 <8]", libs=False, run=False)
        if self.options.with_sparse:
            self.requires("libzip/[>=1.7.3 <2]")
        if self.options.with_image:
            self.requires("libspng/[>=0.7.2 <1]")
        if self.options.with_csv or self._reads_floats_by_fast_float:
            self.requires("fast_float/[>=3.9.0 <9]")
        if self.options.with_zarr:
            self.requires("c-blosc/[>=1.21.3 <2]")
            self.requires("libdeflate/[>=1.14 <2]")
            self.requires("zstd/[>=1.5.4 <2]")
            self.requires("lz4/[>=1.9.4 <1.10]")  # c-blosc's recipe has 1.9.4
            self.requires("jsoncpp/[>=1.9.5 <2]")
        if self.options.with_hdf5:
            self.requires("hdf5/[>=1.10.5 <2]")
            if not self.options.with_zarr:
                self.requires("c-blosc/[>=1.21.3 <2]")
                self.requires("libdeflate/[>=1.14 <2]")
                self.requires("zstd/[>=1.5.4 <2]")
        if self.options.with_arrow:
            if not (self.options.with_zarr or self.options.with_hdf5):
                self.requires("zstd/[>=1.5.4 <2]")
            if not self.options.with_zarr:
                self.requires("lz4/[>=1.9.4 <2]")
        if self.options.with_parquet:
            self.requires("arrow/[>=16 <30]")
        if self.options.with_mpi:  # headers include mpi.h
            self.requires("openmpi/[>=4.1 <6]", transitive_headers=True, transitive_libs=True)
        if self.options.with_openblas:
            self.requires("openblas/[>=0.3.20 <1]", headers=False, libs=False, run=True)

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25 <5]")
        if self.options.with_arrow:  # its headers are beside flatc
            self.tool_requires("flatbuffers/[>=2.0.8 <26]")
        if self._tested:
            self.test_requires("catch2/[>=3.4 <4]")
            self.test_requires("range-v3/[>=0.12 <1]")
            self.test_requires("eigen/[>=3.4 <4]")
            self.test_requires("cli11/[>=2.3 <3]")

    def validate(self):
        check_min_cppstd(self, 20)
        if self.options.with_zarr and not self.options.with_sparse:
            raise ConanInvalidConfiguration("purview::zarr reads zip files by purview::sparse: with_zarr needs with_sparse")
        if self.options.with_archives and not (self.options.with_zarr and self.options.with_hdf5):
            raise ConanInvalidConfiguration("purview::archives opens files by purview::zarr and purview::hdf5: with_archives needs with_zarr and with_hdf5")
        compiler = str(self.settings.compiler)
        if compiler == "msvc":
            raise ConanInvalidConfiguration("Purview does not support msvc yet")
        floor = self._compiler_floors.get(compiler)
        if floor and Version(self.settings.compiler.version) < floor:
            raise ConanInvalidConfiguration(f"Purview needs {compiler} {floor} or newer")
        if self.settings.get_safe("compiler.libcxx") == "libstdc++":
            raise ConanInvalidConfiguration("Purview needs the C++11 ABI of libstdc++: compiler.libcxx=libstdc++11")

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["PURVIEW_BUILD_TESTS"] = self._tested
        toolchain.cache_variables["PURVIEW_BUILD_EXAMPLES"] = bool(
            self._tested and self.options.with_image and self.options.with_csv)
        toolchain.cache_variables["PURVIEW_SPARSE"] = bool(self.options.with_sparse)
        toolchain.cache_variables["PURVIEW_LINALG"] = bool(self.options.with_linalg)
        toolchain.cache_variables["PURVIEW_FFT"] = bool(self.options.with_fft)
        toolchain.cache_variables["PURVIEW_IMAGE"] = bool(self.options.with_image)
        toolchain.cache_variables["PURVIEW_CSV"] = bool(self.options.with_csv)
        toolchain.cache_variables["PURVIEW_ZARR"] = bool(self.options.with_zarr)
        toolchain.cache_variables["PURVIEW_HDF5"] = bool(self.options.with_hdf5)
        toolchain.cache_variables["PURVIEW_ARCHIVES"] = bool(self.options.with_archives)
        toolchain.cache_variables["PURVIEW_ARROW"] = bool(self.options.with_arrow)
        toolchain.cache_variables["PURVIEW_PARQUET"] = bool(self.options.with_parquet)
        toolchain.cache_variables["PURVIEW_GPU"] = bool(self.options.with_gpu)
        toolchain.cache_variables["PURVIEW_MPI"] = bool(self.options.with_mpi)
        toolchain.cache_variables["PURVIEW_TARGETS"] = str(self.options.targets)
        toolchain.generate()
        dependencies = CMakeDeps(self)
        dependencies.set_property("highway", "cmake_file_name", "hwy")
        dependencies.set_property("highway::hwy", "cmake_target_name", "hwy::hwy")
        if self.options.with_image:  # one name for it, whether it was built static or shared
            dependencies.set_property("libspng", "cmake_file_name", "spng")
            dependencies.set_property("libspng", "cmake_target_name", "spng::spng")
        if self.options.with_mpi:  # the interface for C, which purview::mpi calls; the version that is asked for is that of the standard
            dependencies.set_property("openmpi::ompi-c", "cmake_target_name", "MPI::MPI_CXX")
            dependencies.set_property("openmpi", "cmake_config_version_compat", "AnyNewerVersion")
        dependencies.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()
        if self._tested and can_run(self):
            cmake.ctest(["--output-on-failure"])

    def package(self):
        for name in ("LICENSE", "THIRD_PARTY.md", "licenses/*"):
            copy(self, name, self.source_folder, join(self.package_folder, "licenses"), keep_path=False)
        CMake(self).install()
        rmdir(self, join(self.package_folder, "lib", "cmake"))
        rmdir(self, join(self.package_folder, "lib", "pkgconfig"))
        rmdir(self, join(self.package_folder, "share"))

    def package_info(self):
        # purview::purview is the core library alone; what Conan makes of all components together has a name of its own.
        self.cpp_info.set_property("cmake_file_name", "purview")
        self.cpp_info.set_property("cmake_target_name", "purview::all")
        self.cpp_info.set_property("cmake_config_version_compat", "SameMinorVersion")

        core = self._component("core", "purview", ["boost::headers", "libdivide::libdivide", "highway::hwy", "sleef::sleef",
                                                   "onetbb::libtbb", "roaring::roaring"])
        if self.settings.arch == "x86_64":
            core.requires.append("xbyak::xbyak")
        core.set_property("cmake_target_name", "purview::purview")
        core.set_property("pkg_config_name", "purview")
        if not self.options.shared:
            core.defines = ["PURVIEW_STATIC_DEFINE"]
            if self.settings.os == "Linux":
                core.exelinkflags = ["-Wl,--gc-sections"]  # leaves out what a program does not call
            elif self.settings.os == "Macos":
                core.exelinkflags = ["-Wl,-dead_strip"]
        if self.settings.os in ("Linux", "FreeBSD"):
            core.system_libs = ["pthread", "m", "dl"]
        if self._reads_floats_by_fast_float:
            core.requires.append("fast_float::fast_float")
        if self.options.with_openblas:
            # Nothing links this: it says what becomes of the requirement, which is found when a program runs.
            self.cpp_info.components["blas"].requires = ["openblas::openblas"]

        if self.options.with_sparse:
            self._component("sparse", "purview_sparse", ["core", "libzip::libzip"])
        if self.options.with_linalg:
            self._component("linalg", "purview_linalg", ["core"])
        if self.options.with_fft:
            self._component("fft", "purview_fft", ["core"])
        if self.options.with_image:
            self._component("image", "purview_image", ["core", "libspng::libspng"])
        if self.options.with_csv:
            self._component("csv", "purview_csv", ["core", "fast_float::fast_float"])

        if self.options.with_zarr:
            self._component("zarr", "purview_zarr", ["sparse", "c-blosc::c-blosc", "libdeflate::libdeflate", "zstd::zstdlib", "lz4::lz4",
                                                     "jsoncpp::jsoncpp"])
        if self.options.with_hdf5:
            self._component("hdf5", "purview_hdf5", ["core", "hdf5::hdf5_c", "c-blosc::c-blosc", "libdeflate::libdeflate", "zstd::zstdlib"])

        if self.options.with_archives:
            self._component("archives", "purview_archives", ["sparse", "zarr", "hdf5", "jsoncpp::jsoncpp"])
        if self.options.with_arrow:  # of flatbuffers, nothing is linked
            self._component("arrow", "purview_arrow", ["core", "zstd::zstdlib", "lz4::lz4"])
        if self.options.with_parquet:
            self._component("parquet", "purview_parquet", ["core", "arrow::libparquet"])
        if self.options.with_gpu:  # drivers are opened when a program runs
            self._component("gpu", "purview_gpu", ["core"])
        if self.options.with_mpi:
            self._component("mpi", "purview_mpi", ["core", "openmpi::ompi-c"])

    def _component(self, name, library, requires):
        component = self.cpp_info.components[name]
        component.set_property("cmake_target_name", f"purview::{name}")
        component.set_property("pkg_config_name", f"purview-{name}")
        component.libs = [library]
        component.requires = [*requires, "fmt::fmt"]
        return component

    @property
    def _reads_floats_by_fast_float(self):
        # libc++ has std::from_chars of floats since version 20.
        return self.settings.get_safe("compiler.libcxx") == "libc++" and Version(self.settings.compiler.version) < 20

    @property
    def _tested(self):
        return not self.conf.get("tools.build:skip_test", default=True, check_type=bool)
