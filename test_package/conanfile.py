from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class PurviewTestPackage(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        options = self.dependencies[self.tested_reference_str].options
        components = [name for name in ("sparse", "linalg", "fft", "image", "csv", "zarr", "hdf5", "archives", "arrow", "parquet", "gpu", "mpi") if options.get_safe(f"with_{name}")]
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["PURVIEW_COMPONENTS"] = ";".join(components)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            CMake(self).ctest(["--output-on-failure", "--no-tests=error"])
