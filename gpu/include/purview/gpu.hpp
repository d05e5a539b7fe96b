#pragma once

// Devices of OpenCL and CUDA, opened at run time, and what is computed in their memory.
#include <purview/gpu/device.hpp>
#include <purview/gpu/dlpack.hpp>
#include <purview/gpu/kernel_source.hpp>
#include <purview/gpu/memory.hpp>
#include <purview/gpu/prepare.hpp>
#include <purview/gpu/stream.hpp>
#include <purview/gpu/transfers.hpp>
