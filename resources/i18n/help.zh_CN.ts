<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>HelpPage</name>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Search the help</source>
        <translation>搜索帮助</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Topics</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>正文</translation>
    </message>
    <message>
        <source>No topic holds all of these words.</source>
        <translation>没有主题同时包含这些词。</translation>
    </message>
</context>
<context>
    <name>Keys</name>
    <message>
        <source>Pages, from top</source>
        <translation>各页面，自上而下</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>Does</source>
        <translation>作用</translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
</context>
</TS>
