#include <x.h>
BEGIN { }
