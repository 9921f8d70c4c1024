#pragma D nosuch
BEGIN { }
