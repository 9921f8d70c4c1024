BEGIN
/nosuch == 1/
{
}
