<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>ActualsLine</name>
    <message>
        <source>Predicted and actual</source>
        <translation>预测与实际</translation>
    </message>
</context>
<context>
    <name>ActualsTable</name>
    <message>
        <source>Predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Actual</source>
        <translation>实际</translation>
    </message>
</context>
<context>
    <name>ChangeSheet</name>
    <message>
        <source>Simulated: nothing runs on real hardware.</source>
        <translation>模拟：没有任何程序运行在真实硬件上。</translation>
    </message>
    <message>
        <source>Change of the container</source>
        <translation>容器的改动</translation>
    </message>
    <message>
        <source>Working out the changed plan …</source>
        <translation>正在计算修改后的方案…</translation>
    </message>
    <message>
        <source>Deploy</source>
        <translation>部署</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>New value of {name}</source>
        <translation>{name} 的新值</translation>
    </message>
</context>
<context>
    <name>ChatBox</name>
    <message>
        <source>Say something</source>
        <translation>说点什么</translation>
    </message>
    <message>
        <source>One question to the model</source>
        <translation>向模型提一个问题</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Waiting for the answer …</source>
        <translation>正在等待回答…</translation>
    </message>
    <message>
        <source>Possible while the deployment serves.</source>
        <translation>部署处于服务状态时可用。</translation>
    </message>
    <message>
        <source>Sends one request with up to 64 tokens, over the host&apos;s own connection.</source>
        <translation>通过主机自身的连接发送一次请求，最多 64 token。</translation>
    </message>
</context>
<context>
    <name>Deployments</name>
    <message>
        <source>Planned</source>
        <translation>已计划</translation>
    </message>
    <message>
        <source>Checking</source>
        <translation>检查中</translation>
    </message>
    <message>
        <source>Fetching the image</source>
        <translation>拉取镜像中</translation>
    </message>
    <message>
        <source>Creating</source>
        <translation>创建中</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>启动中</translation>
    </message>
    <message>
        <source>Verifying</source>
        <translation>验证中</translation>
    </message>
    <message>
        <source>Serving</source>
        <translation>服务中</translation>
    </message>
    <message>
        <source>Degraded</source>
        <translation>降级</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>停止中</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Keeps crashing</source>
        <translation>反复崩溃</translation>
    </message>
    <message>
        <source>Not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Fetch image</source>
        <translation>拉取镜像</translation>
    </message>
    <message>
        <source>Create</source>
        <translation>创建</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>启动进程</translation>
    </message>
    <message>
        <source>Config</source>
        <translation>配置</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Load weights</source>
        <translation>加载权重</translation>
    </message>
    <message>
        <source>Compile</source>
        <translation>编译</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>已跳过</translation>
    </message>
    <message>
        <source>The engine did not name this step in its log.</source>
        <translation>引擎日志中没有出现这一步。</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV cache</translation>
    </message>
    <message>
        <source>CUDA graphs</source>
        <translation>CUDA 图</translation>
    </message>
    <message>
        <source>Warm up</source>
        <translation>预热</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>服务接口</translation>
    </message>
    <message>
        <source>Listen</source>
        <translation>监听</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>KV cache, tokens</source>
        <translation>KV cache token 数</translation>
    </message>
    <message>
        <source>Usable</source>
        <translation>可用</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>总量</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>dtype</source>
        <translation>dtype</translation>
    </message>
    <message>
        <source>KV dtype</source>
        <translation>KV dtype</translation>
    </message>
    <message>
        <source>Quantization</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>Flash attention</source>
        <translation>Flash attention</translation>
    </message>
    <message>
        <source>Prefix caching</source>
        <translation>前缀缓存</translation>
    </message>
    <message>
        <source>inside its band</source>
        <translation>在误差带内</translation>
    </message>
    <message>
        <source>outside its band</source>
        <translation>超出误差带</translation>
    </message>
    <message>
        <source>no band</source>
        <translation>无误差带</translation>
    </message>
    <message>
        <source>not reported</source>
        <translation>未报告</translation>
    </message>
    <message>
        <source>Outside their band: {count} of {all}</source>
        <translation>超出误差带：{all} 项中的 {count} 项</translation>
    </message>
    <message>
        <source>As predicted: {all} of {all}</source>
        <translation>与预测一致：{all} 项全部</translation>
    </message>
    <message>
        <source>The engine reported nothing to compare</source>
        <translation>引擎没有报告可比较的数据</translation>
    </message>
    <message>
        <source>band: {low} – {high}</source>
        <translation>误差带：{low} – {high}</translation>
    </message>
    <message>
        <source>Simulated: nothing is learned from this start.</source>
        <translation>模拟启动：不从中学习。</translation>
    </message>
    <message>
        <source>The prediction holds what earlier starts here taught.</source>
        <translation>预测已包含此前在本机启动所得的修正。</translation>
    </message>
    <message>
        <source>The engine chose: {list}</source>
        <translation>引擎自行选择：{list}</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Gone</source>
        <translation>已不存在</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>镜像</translation>
    </message>
    <message>
        <source>Revision</source>
        <translation>修订版本</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>已运行</translation>
    </message>
    <message>
        <source>Restarts</source>
        <translation>重启次数</translation>
    </message>
    <message>
        <source>Exit status</source>
        <translation>退出码</translation>
    </message>
    <message>
        <source>&lt; 1 min</source>
        <translation>不到 1 分钟</translation>
    </message>
    <message>
        <source>{count} tokens</source>
        <translation>{count} token</translation>
    </message>
    <message>
        <source>1 token</source>
        <translation>1 token</translation>
    </message>
    <message>
        <source>about {time} left</source>
        <translation>大约还需 {time}</translation>
    </message>
    <message>
        <source>{days} d {hours} h</source>
        <translation>{days} 天 {hours} 小时</translation>
    </message>
    <message>
        <source>{hours} h {minutes} min</source>
        <translation>{hours} 小时 {minutes} 分</translation>
    </message>
    <message>
        <source>{minutes} min</source>
        <translation>{minutes} 分钟</translation>
    </message>
    <message>
        <source>{time} in all</source>
        <translation>共 {time}</translation>
    </message>
    <message>
        <source>It answers without a key</source>
        <translation>它不需要密钥</translation>
    </message>
    <message>
        <source>The start of {name} was cancelled; nothing is left</source>
        <translation>{name} 的启动已取消，没有遗留任何容器</translation>
    </message>
    <message>
        <source>The start of {name} was cancelled; what is left is removed when its host answers again</source>
        <translation>已取消 {name} 的启动；主机恢复响应后会清除残留</translation>
    </message>
    <message>
        <source>{name} is removed</source>
        <translation>{name} 已删除</translation>
    </message>
    <message>
        <source>{name} is stopped; its container stays</source>
        <translation>{name} 已停止，容器保留</translation>
    </message>
    <message>
        <source>What runs on {host} is not known yet</source>
        <translation>尚不知道 {host} 上在运行什么</translation>
    </message>
    <message>
        <source>Its container engine has not answered so far.</source>
        <translation>它的容器引擎还没有应答。</translation>
    </message>
    <message>
        <source>Nothing is deployed on {host}</source>
        <translation>{host} 上没有部署</translation>
    </message>
    <message>
        <source>A plan says which engine runs a model on this host, and how. Deploy it, or use “pitwall deploy” on the command line.</source>
        <translation>方案说明用哪个引擎、以什么参数在这台主机上运行模型。可以在这里部署方案，也可以在命令行使用 pitwall deploy。</translation>
    </message>
    <message>
        <source>not connected, so not asked: {hosts}</source>
        <translation>未连接、因此未查询：{hosts}</translation>
    </message>
    <message>
        <source>What runs there goes on. It is found again as soon as the host is connected.</source>
        <translation>那里运行的部署不受影响，连接主机后会重新找到。</translation>
    </message>
    <message>
        <source>Deploy revision {revision} of {name} with a changed plan?</source>
        <translation>以修改后的方案部署 {name} 的修订 {revision}？</translation>
    </message>
    <message>
        <source>What runs now is stopped first: requests that run are cut off. Its container stays, and the API key is the same.</source>
        <translation>将先停止当前运行的实例，正在处理的请求会中断。其容器保留，API 密钥不变。</translation>
    </message>
    <message>
        <source>The container of this revision stays stopped on the host; the API key is the same.</source>
        <translation>本修订的容器会以停止状态保留在主机上；API 密钥不变。</translation>
    </message>
    <message>
        <source>this engine version has no such setting</source>
        <translation>此引擎版本没有该设置</translation>
    </message>
    <message>
        <source>which value is for you to say</source>
        <translation>取值需由您决定</translation>
    </message>
    <message>
        <source>a first step in the right direction; change it as you like</source>
        <translation>朝正确方向的第一步，可自行修改</translation>
    </message>
    <message>
        <source>not set</source>
        <translation>未设置</translation>
    </message>
    <message>
        <source>Expected memory: not known for this engine</source>
        <translation>预计显存：此引擎暂无法估算</translation>
    </message>
    <message>
        <source>Expected memory: {new}</source>
        <translation>预计显存：{new}</translation>
    </message>
    <message>
        <source>Expected memory: {old} → {new}</source>
        <translation>预计显存：{old} → {new}</translation>
    </message>
    <message>
        <source>Changed plan of {name}</source>
        <translation>{name} 修改后的方案</translation>
    </message>
</context>
<context>
    <name>DeploymentsPage</name>
    <message>
        <source>Deployments</source>
        <translation>部署</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>重新查看</translation>
    </message>
    <message>
        <source>Make a plan</source>
        <translation>制定方案</translation>
    </message>
    <message>
        <source>Predicted and actual</source>
        <translation>预测与实际</translation>
    </message>
    <message>
        <source>Where the time of {name} goes</source>
        <translation>{name} 的时间花在哪里</translation>
    </message>
    <message>
        <source>Stop {name}?</source>
        <translation>停止 {name}？</translation>
    </message>
    <message>
        <source>Requests that run are cut off and the GPU memory is given back. The container stays, so it can be started again.</source>
        <translation>正在处理的请求会中断，显存会释放。容器会保留，可以再次启动。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Restart {name}?</source>
        <translation>重启 {name}？</translation>
    </message>
    <message>
        <source>Requests that run are cut off, and nothing answers until the model is loaded.</source>
        <translation>正在处理的请求会中断，模型加载完成之前不会有任何响应。</translation>
    </message>
    <message>
        <source>Restart</source>
        <translation>重启</translation>
    </message>
    <message>
        <source>Roll {name} back?</source>
        <translation>将 {name} 回退？</translation>
    </message>
    <message>
        <source>What runs is stopped, and the earlier revision is started and verified. When it does not serve, what runs now is started again. Both containers stay.</source>
        <translation>将停止正在运行的修订版本，启动并验证先前的修订版本。如果它无法提供服务，会重新启动现在运行的版本。两个容器都会保留。</translation>
    </message>
    <message>
        <source>Roll back</source>
        <translation>回退</translation>
    </message>
    <message>
        <source>Remove old revisions of {name}?</source>
        <translation>删除 {name} 的旧修订版本？</translation>
    </message>
    <message>
        <source>Remove {name}?</source>
        <translation>移除 {name}？</translation>
    </message>
    <message>
        <source>All its containers and their logs are removed from the host. The model, the image and saved profiles stay.</source>
        <translation>它的所有容器及日志都会从主机上删除。模型、镜像和已保存的配置方案会保留。</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>The stopped containers of other revisions and their logs are removed from the host. What runs is not touched.</source>
        <translation>将从主机删除其他修订版本已停止的容器及其日志，正在运行的不受影响。</translation>
    </message>
    <message>
        <source>This line is not in the part of the log that is shown</source>
        <translation>此行不在当前显示的日志范围内</translation>
    </message>
    <message>
        <source>Tunnel open, address copied: {url}. Clients need the key as well.</source>
        <translation>隧道已打开，地址已复制：{url}。客户端还需要密钥。</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Save the log</source>
        <translation>保存日志</translation>
    </message>
    <message>
        <source>Saved as {file}</source>
        <translation>已保存为 {file}</translation>
    </message>
</context>
<context>
    <name>DetailPane</name>
    <message>
        <source>Start</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Restart</source>
        <translation>重启</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Compare with…</source>
        <translation>与…对比</translation>
    </message>
    <message>
        <source>Support bundle…</source>
        <translation>支持包…</translation>
    </message>
    <message>
        <source>Where does the time go?</source>
        <translation>时间花在哪里？</translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>Endpoint</source>
        <translation>接口地址</translation>
    </message>
    <message>
        <source>Copy the endpoint</source>
        <translation>复制接口地址</translation>
    </message>
    <message>
        <source>Copy key</source>
        <translation>复制密钥</translation>
    </message>
    <message>
        <source>The API key that clients must send. It is copied, not shown.</source>
        <translation>客户端必须携带的 API 密钥。只复制，不显示。</translation>
    </message>
    <message>
        <source>Copy as curl</source>
        <translation>复制为 curl</translation>
    </message>
    <message>
        <source>A command that asks through the open tunnel, with the key in it.</source>
        <translation>经由已打开的隧道提问的命令，其中含密钥。</translation>
    </message>
    <message>
        <source>Remove old revisions</source>
        <translation>删除旧修订版本</translation>
    </message>
    <message>
        <source>Found running on the host; how its start went is not known here.</source>
        <translation>在主机上发现它已在运行；这里没有它的启动记录。</translation>
    </message>
    <message>
        <source>Phases of the start</source>
        <translation>启动阶段</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Roll back to revision {number}</source>
        <translation>回退到修订版本 {number}</translation>
    </message>
    <message>
        <source>Stopped containers of other revisions: {count}</source>
        <translation>其他修订版本已停止的容器：{count}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>on {host}</source>
        <translation>（{host} 上）</translation>
    </message>
    <message>
        <source>through the tunnel</source>
        <translation>经隧道</translation>
    </message>
    <message>
        <source>Close tunnel</source>
        <translation>关闭隧道</translation>
    </message>
    <message>
        <source>Open tunnel</source>
        <translation>打开隧道</translation>
    </message>
    <message>
        <source>The engine reported: {values}</source>
        <translation>引擎报告：{values}</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>搜索日志</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Match capital and small letters</source>
        <translation>区分大小写</translation>
    </message>
    <message>
        <source>Regular expression</source>
        <translation>正则表达式</translation>
    </message>
    <message>
        <source>Match before</source>
        <translation>上一处</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>下一处</translation>
    </message>
    <message>
        <source>14:03 or -10m</source>
        <translation>14:03 或 -10m</translation>
    </message>
    <message>
        <source>Go to a time</source>
        <translation>跳到某个时间</translation>
    </message>
    <message>
        <source>Close the search</source>
        <translation>关闭搜索</translation>
    </message>
    <message>
        <source>Not an expression: {problem}</source>
        <translation>正则表达式有误：{problem}</translation>
    </message>
    <message>
        <source>Too slow an expression, stopped; found: {count}</source>
        <translation>表达式过慢，已停止；找到 {count} 处</translation>
    </message>
    <message>
        <source>{number} of {count}</source>
        <translation>第 {number} 处，共 {count} 处</translation>
    </message>
    <message>
        <source>found: {count}</source>
        <translation>找到 {count} 处</translation>
    </message>
    <message>
        <source>These lines have no time stamps</source>
        <translation>这些日志行没有时间戳</translation>
    </message>
    <message>
        <source>Type 14:03, -10m or 2026-11-30T14:03</source>
        <translation>请输入 14:03、-10m 或 2026-11-30T14:03</translation>
    </message>
    <message>
        <source>A time of day, minutes back such as -10m, or a date and time; then Enter</source>
        <translation>输入时刻、往前的时长（如 -10m）或日期时间，然后按回车</translation>
    </message>
</context>
<context>
    <name>LevelButtons</name>
    <message>
        <source>Errors: {count}</source>
        <translation>错误：{count}</translation>
    </message>
    <message>
        <source>Warnings: {count}</source>
        <translation>警告：{count}</translation>
    </message>
    <message>
        <source>Info: {count}</source>
        <translation>信息：{count}</translation>
    </message>
    <message>
        <source>Debug: {count}</source>
        <translation>调试：{count}</translation>
    </message>
    <message>
        <source>Lines without a level: {count}</source>
        <translation>无级别的行：{count}</translation>
    </message>
</context>
<context>
    <name>LogView</name>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>搜索日志</translation>
    </message>
    <message>
        <source>Copy the chosen lines, or all</source>
        <translation>复制所选行，未选则复制全部</translation>
    </message>
    <message>
        <source>Save the whole log…</source>
        <translation>保存完整日志…</translation>
    </message>
    <message>
        <source>Give the log all the room</source>
        <translation>放大日志</translation>
    </message>
    <message>
        <source>More for the log</source>
        <translation>日志的更多操作</translation>
    </message>
    <message>
        <source>Wrap long lines</source>
        <translation>自动换行</translation>
    </message>
    <message>
        <source>Times of this computer</source>
        <translation>本机时间</translation>
    </message>
    <message>
        <source>Times in UTC</source>
        <translation>UTC 时间</translation>
    </message>
    <message>
        <source>No times</source>
        <translation>不显示时间</translation>
    </message>
    <message>
        <source>Copy with full time stamps</source>
        <translation>复制（含完整时间戳）</translation>
    </message>
    <message>
        <source>Copy without times</source>
        <translation>复制（不含时间）</translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation>复制为命令</translation>
    </message>
    <message>
        <source>Go to a time…</source>
        <translation>跳到某个时间…</translation>
    </message>
    <message>
        <source>Read the log from its start</source>
        <translation>从头读取日志</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>跟随</translation>
    </message>
    <message>
        <source>{count} lines</source>
        <translation>{count} 行</translation>
    </message>
    <message>
        <source>1 line</source>
        <translation>1 行</translation>
    </message>
    <message>
        <source>{shown} of {count} lines</source>
        <translation>显示 {shown} 行，共 {count} 行</translation>
    </message>
    <message>
        <source>1 new line</source>
        <translation>1 行新日志</translation>
    </message>
    <message>
        <source>{count} new lines</source>
        <translation>{count} 行新日志</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>older lines dropped: {count}</source>
        <translation>已丢弃较早的 {count} 行</translation>
    </message>
    <message>
        <source>The whole log is in what Save writes, and in pitwall logs.</source>
        <translation>完整日志可用“保存”写入文件，或用 pitwall logs 查看。</translation>
    </message>
    <message>
        <source>cut off</source>
        <translation>已中断</translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <source>Deployments</source>
        <translation>部署</translation>
    </message>
</context>
<context>
    <name>PhaseTrack</name>
    <message>
        <source>{phase}: {state} {time}</source>
        <translation>{phase}：{state} {time}</translation>
    </message>
    <message>
        <source>done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>running</source>
        <translation>进行中</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>已跳过</translation>
    </message>
    <message>
        <source>not reached</source>
        <translation>未到达</translation>
    </message>
</context>
</TS>
