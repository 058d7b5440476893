package com.harbor;
public class LeftCut extends Cut {
    public LeftCut() { super(7); }
    @Override protected String of(Call c) { return Names.PREFIX + c.imo; }
}
