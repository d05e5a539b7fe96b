// Catch2 v3 brings its own main; v2's is compiled here, once.
#if !__has_include(<catch2/catch_all.hpp>)
# define CATCH_CONFIG_MAIN
# include <catch2/catch.hpp>
#endif
