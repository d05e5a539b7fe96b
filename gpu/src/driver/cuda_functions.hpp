#pragma once

#include "dynamic_library.hpp"

#include <cstddef>
#include <cstdint>

namespace purview::inline v0_1::gpu::detail {

/// What is called of libcuda.so.1, as its ABI has been since CUDA 11.
struct CudaFunctions {
    /// Throws `DeviceError` if one is not there.
    explicit CudaFunctions(const DynamicLibrary& library) {
        library.find("cuInit", init);
        library.find("cuDriverGetVersion", driver_version);
        library.find("cuGetErrorName", error_name);
        library.find("cuDeviceGetCount", device_count);
        library.find("cuDeviceGet", device_get);
        library.find("cuDeviceGetName", device_name);
        library.find("cuDeviceGetAttribute", device_attribute);
        library.find("cuDeviceTotalMem_v2", device_memory);
        library.find("cuDevicePrimaryCtxRetain", retain_primary_context);
        library.find("cuCtxGetCurrent", get_current);
        library.find("cuCtxSetCurrent", set_current);
        library.find("cuMemAlloc_v2", allocate);
        library.find("cuMemFree_v2", free);
        library.find("cuMemAllocHost_v2", allocate_host);
        library.find("cuMemFreeHost", free_host);
        library.find("cuMemcpyHtoDAsync_v2", copy_in);
        library.find("cuMemcpyDtoHAsync_v2", copy_out);
        library.find("cuMemcpyDtoDAsync_v2", copy_within);
        library.find("cuMemsetD8Async", set8);
        library.find("cuMemsetD16Async", set16);
        library.find("cuMemsetD32Async", set32);
        library.find("cuPointerGetAttribute", pointer_attribute);
        library.find("cuStreamCreate", create_stream);
        library.find("cuStreamDestroy_v2", destroy_stream);
        library.find("cuStreamSynchronize", synchronize_stream);
        library.find("cuStreamWaitEvent", wait_event);
        library.find("cuEventCreate", create_event);
        library.find("cuEventRecord", record_event);
        library.find("cuEventSynchronize", synchronize_event);
        library.find("cuEventQuery", query_event);
        library.find("cuEventDestroy_v2", destroy_event);
        library.find("cuModuleLoadData", load_module);
        library.find("cuModuleUnload", unload_module);
        library.find("cuModuleGetFunction", module_function);
        library.find("cuLaunchKernel", launch);
    }

    int (*init)(unsigned);
    int (*driver_version)(int*);
    int (*error_name)(int, const char**);
    int (*device_count)(int*);
    int (*device_get)(int*, int);
    int (*device_name)(char*, int, int);
    int (*device_attribute)(int*, int, int);
    int (*device_memory)(std::size_t*, int);
    int (*retain_primary_context)(void**, int);
    int (*get_current)(void**);
    int (*set_current)(void*);
    int (*allocate)(std::uint64_t*, std::size_t);
    int (*free)(std::uint64_t);
    int (*allocate_host)(void**, std::size_t);
    int (*free_host)(void*);
    int (*copy_in)(std::uint64_t, const void*, std::size_t, void*);
    int (*copy_out)(void*, std::uint64_t, std::size_t, void*);
    int (*copy_within)(std::uint64_t, std::uint64_t, std::size_t, void*);
    int (*set8)(std::uint64_t, unsigned char, std::size_t, void*);
    int (*set16)(std::uint64_t, unsigned short, std::size_t, void*);
    int (*set32)(std::uint64_t, unsigned, std::size_t, void*);
    int (*pointer_attribute)(void*, int, std::uint64_t);
    int (*create_stream)(void**, unsigned);
    int (*destroy_stream)(void*);
    int (*synchronize_stream)(void*);
    int (*wait_event)(void*, void*, unsigned);
    int (*create_event)(void**, unsigned);
    int (*record_event)(void*, void*);
    int (*synchronize_event)(void*);
    int (*query_event)(void*);
    int (*destroy_event)(void*);
    int (*load_module)(void**, const void*);
    int (*unload_module)(void*);
    int (*module_function)(void**, void*, const char*);
    int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void*, void**, void**);
};

} // namespace purview
