#pragma once

// Many files as one tensor.
#include <purview/archives/open_kerchunk.hpp>
#include <purview/archives/open_many.hpp>
#include <purview/io/cf_decoded.hpp>
