#pragma once

// Tables in Parquet files.
#include <purview/parquet/open_parquet.hpp>
#include <purview/parquet/save_parquet.hpp>
