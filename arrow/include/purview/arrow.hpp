#pragma once

// Tables in Arrow's files: purview::arrow.

#include <purview/arrow/open_arrow_file.hpp>
#include <purview/arrow/save_arrow_file.hpp>
