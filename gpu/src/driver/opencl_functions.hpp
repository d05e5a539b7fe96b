#pragma once

#include "dynamic_library.hpp"

#include <cstddef>
#include <cstdint>

namespace purview::inline v0_1::gpu::detail {

/// What is called of libOpenCL.so.1, version 1.2.
struct OpenClFunctions {
    /// Throws `DeviceError` if one is not there.
    explicit OpenClFunctions(const DynamicLibrary& library) {
        library.find("clGetPlatformIDs", platforms);
        library.find("clGetPlatformInfo", platform_info);
        library.find("clGetDeviceIDs", devices);
        library.find("clGetDeviceInfo", device_info);
        library.find("clCreateContext", create_context);
        library.find("clCreateCommandQueue", create_queue);
        library.find("clReleaseCommandQueue", release_queue);
        library.find("clCreateBuffer", create_buffer);
        library.find("clReleaseMemObject", release_buffer);
        library.find("clEnqueueWriteBuffer", write);
        library.find("clEnqueueReadBuffer", read);
        library.find("clEnqueueCopyBuffer", copy);
        library.find("clEnqueueFillBuffer", fill);
        library.find("clEnqueueMarkerWithWaitList", marker);
        library.find("clEnqueueBarrierWithWaitList", barrier);
        library.find("clWaitForEvents", wait_for_events);
        library.find("clGetEventInfo", event_info);
        library.find("clReleaseEvent", release_event);
        library.find("clCreateProgramWithSource", from_source);
        library.find("clCreateProgramWithBinary", from_binary);
        library.find("clBuildProgram", build_program);
        library.find("clGetProgramBuildInfo", build_info);
        library.find("clGetProgramInfo", program_info);
        library.find("clReleaseProgram", release_program);
        library.find("clCreateKernel", create_kernel);
        library.find("clReleaseKernel", release_kernel);
        library.find("clSetKernelArg", set_argument);
        library.find("clEnqueueNDRangeKernel", enqueue);
        library.find("clFlush", flush);
        library.find("clFinish", finish);
    }

    using Events = void* const*;
    int (*platforms)(unsigned, void**, unsigned*);
    int (*platform_info)(void*, unsigned, std::size_t, void*, std::size_t*);
    int (*devices)(void*, std::uint64_t, unsigned, void**, unsigned*);
    int (*device_info)(void*, unsigned, std::size_t, void*, std::size_t*);
    void* (*create_context)(const void*, unsigned, void* const*, void*, void*, int*);
    void* (*create_queue)(void*, void*, std::uint64_t, int*);
    int (*release_queue)(void*);
    void* (*create_buffer)(void*, std::uint64_t, std::size_t, void*, int*);
    int (*release_buffer)(void*);
    int (*write)(void*, void*, unsigned, std::size_t, std::size_t, const void*, unsigned, Events,
                 void**);
    int (*read)(void*, void*, unsigned, std::size_t, std::size_t, void*, unsigned, Events, void**);
    int (*copy)(void*, void*, void*, std::size_t, std::size_t, std::size_t, unsigned, Events,
                void**);
    int (*fill)(void*, void*, const void*, std::size_t, std::size_t, std::size_t, unsigned, Events,
                void**);
    int (*marker)(void*, unsigned, Events, void**);
    int (*barrier)(void*, unsigned, Events, void**);
    int (*wait_for_events)(unsigned, Events);
    int (*event_info)(void*, unsigned, std::size_t, void*, std::size_t*);
    int (*release_event)(void*);
    void* (*from_source)(void*, unsigned, const char**, const std::size_t*, int*);
    void* (*from_binary)(void*, unsigned, void* const*, const std::size_t*, const unsigned char**,
                         int*, int*);
    int (*build_program)(void*, unsigned, void* const*, const char*, void*, void*);
    int (*build_info)(void*, void*, unsigned, std::size_t, void*, std::size_t*);
    int (*program_info)(void*, unsigned, std::size_t, void*, std::size_t*);
    int (*release_program)(void*);
    void* (*create_kernel)(void*, const char*, int*);
    int (*release_kernel)(void*);
    int (*set_argument)(void*, unsigned, std::size_t, const void*);
    int (*enqueue)(void*, void*, unsigned, const std::size_t*, const std::size_t*,
                   const std::size_t*, unsigned, Events, void**);
    int (*flush)(void*);
    int (*finish)(void*);
};

} // namespace purview
